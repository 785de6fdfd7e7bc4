#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A capture of a fabric is replayed by its own hosts; a foreign one by hosts from a map or by hash.
# Full: it replays three captures; test_gen_foreign.c tests the hosts of addresses.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbgen drbctl
need_tool tcpdump jq curl

up -l 3 -d 2 --offloads off --scheme dmodk
pings=20
# holds CAPTURE PACKETS: the capture has at least this number of packets now
holds() { [ "$(tcpdump -nr "$1" 2>/dev/null | wc -l)" -ge "$2" ]; }
record() {
  rm -f "$scratch/own.pcap"
  "$root/topo/fabric" exec h4 -- tcpdump -Z root -q --immediate-mode -i eth0 -w "$scratch/own.pcap" -U "$1" >/dev/null 2>&1 &
  local recorder=$!
  soon test -s "$scratch/own.pcap" >/dev/null
  fabric exec h4 -- ping -q -c $pings -i 0.01 "$2"
  soon holds "$scratch/own.pcap" $((2 * pings)) >/dev/null
  kill -TERM $recorder
  wait $recorder
}
# Kernels ask 5 s after a conversation whether the peer still exists. Flushed, they do not.
replay() {
  ip -n drb-h4 neigh flush all
  ip -n drb-h10 neigh flush all
  drbgen replay "$@" --json >"$scratch/report" 2>"$scratch/said" && return
  cat "$scratch/said" && return 1
}
host_says() { # host_says HOST FILTER
  jq -c "select(.host == \"$1\")" "$scratch/report"
  jq -es "map(select(.host == \"$1\"))[0] | $2" "$scratch/report"
}

check "a conversation is recorded" record icmp 10.0.0.11
check "it is replayed" replay "$scratch/own.pcap"
check "h4 sends what h4 sent" host_says h4 ".sent == $pings and .received == $pings"
check "h10 sends the answers" host_says h10 ".sent == $pings and .received == $pings"
check "nobody else sends" host_says all ".sent == 2 * $pings and .lost == 0"
check "no kernel answers" host_says all '.others == 0'
check "which needs no words but one line" bash -c "! grep -v '^drbgen: sends 40 packets in ' '$scratch/said'"
check "it is known how long packets took" host_says all ".latency_samples == 2 * $pings
  and .latency_mean_us > 0 and .latency_mean_us <= .latency_max_us"
check "counts are whole numbers" bash -c "! grep -E '\"(sent|not_sent|skipped|latency_samples)\":[0-9]+[.]' '$scratch/report'"
check "with answers" replay "$scratch/own.pcap" --to-stack
check "they are counted" host_says h4 ".others + .duplicated > 0"
check "and explained" grep -q 'other packets came to the hosts.*kernels' "$scratch/said"
check "no address needs a hash" bash -c "! grep 'by hash' '$scratch/said'"
# At a switch, a packet is captured both where it comes in and where it goes out.
at_switch() { # at_switch SWITCH[.PORT] PACKETS: captures so many packets
  rm -f "$scratch/own.pcapng"
  timeout 60 "$build/src/ctl/drbctl" capture "$1" -c "$2" -w "$scratch/own.pcapng" icmp 2>"$scratch/capturing" &
  local recorder=$!
  soon grep -q 'capturing at' "$scratch/capturing" >/dev/null
  fabric exec h4 -- ping -q -c $pings -i 0.01 10.0.0.11
  wait $recorder
}
check "a conversation is recorded at a switch" at_switch s1-2 $((4 * pings))
check "it is replayed from there" replay "$scratch/own.pcapng"
check "each packet once" host_says all ".sent == 2 * $pings and .lost == 0 and .skipped == 2 * $pings"
check "which is said" grep -q "$((2 * pings)) are in the capture before, at another port of the switch" "$scratch/said"
check "a conversation is recorded at one port" at_switch s1-2.d0 $((2 * pings))
check "it is replayed in both directions" replay "$scratch/own.pcapng"
check "as it was" host_says all ".sent == 2 * $pings and .lost == 0 and .skipped == 0"
check "IPv6 is recorded" record icmp6 fd00::b
check "it is replayed, too" replay "$scratch/own.pcap"
check "h4 sends what h4 sent there" host_says h4 ".sent >= $pings"
check "no kernel answers there" host_says all '.others == 0 and .duplicated == 0'

# Kernels would answer a replayed TCP conversation, which they do not know, with resets.
record_tcp() {
  "$root/topo/fabric" exec h10 -- python3 -m http.server -d "$root/docs" 8080 >/dev/null 2>&1 &
  local server=$!
  rm -f "$scratch/own.pcap"
  "$root/topo/fabric" exec h4 -- tcpdump -Z root -q --immediate-mode -i eth0 -w "$scratch/own.pcap" -U tcp >/dev/null 2>&1 &
  local recorder=$!
  soon test -s "$scratch/own.pcap" >/dev/null
  soon fabric exec h4 -- curl -sfo /dev/null http://10.0.0.11:8080/guide/traffic.md || return
  sleep 0.2
  kill -TERM $server $recorder
  wait $recorder
}
# hosts_sent HOST: captures all packets that leave the host's interface, except multicast
hosts_sent() {
  "$root/topo/fabric" exec "$1" -- tcpdump -Z root -Q out -i eth0 --immediate-mode -U -w "$scratch/$1.pcap" \
    'ether[0] & 1 = 0' >/dev/null 2>&1
}
nothing_but_the_replay() {
  local h watchers=()
  for h in h4 h10; do
    rm -f "$scratch/$h.pcap"
    hosts_sent $h &
    watchers+=($!)
  done
  for h in h4 h10; do soon test -s "$scratch/$h.pcap" >/dev/null; done
  replay "$scratch/own.pcap" "$@" || return
  for h in h4 h10; do soon holds "$scratch/$h.pcap" "$(jq "select(.host == \"$h\").sent" "$scratch/report")" >/dev/null; done
  sleep 0.3 # wait for packets that must not come
  for h in h4 h10; do ip netns pids "drb-$h" | xargs -r kill -TERM; done
  wait "${watchers[@]}"
  for h in h4 h10; do
    local sent captured
    sent=$(jq "select(.host == \"$h\").sent" "$scratch/report")
    captured=$(tcpdump -nr "$scratch/$h.pcap" 2>/dev/null | wc -l)
    echo "$h: $sent replayed, $captured on the wire"
    [ "$sent" -gt 0 ] && [ "$sent" = "$captured" ] || return
  done
}
check "TCP is recorded" record_tcp
check "its replay alone is on the wire" nothing_but_the_replay
check "all of it arrives" host_says all '.others == 0 and .lost == 0 and .received == .sent'
check "most packets can be told from others" host_says all '.latency_samples > .sent / 2'
sockets_see_it() {
  local watch
  "$root/topo/fabric" exec h10 -- timeout 60 tcpdump -Z root -c 3 -Q in -i eth0 tcp >/dev/null 2>"$scratch/tcpdump" &
  watch=$!
  soon grep -q 'listening on' "$scratch/tcpdump" >/dev/null
  drbgen replay "$scratch/own.pcap" >/dev/null 2>&1
  wait $watch
}
check "packet sockets see what is replayed" sockets_see_it
check "with answers the wire has more" bash -c "! '$build/src/gen/drbgen' replay '$scratch/own.pcap' --to-stack \
  --json | jq -es 'map(select(.host == \"all\"))[0].others == 0'"

check "somebody else's capture" python3 -B "$root/tests/live/traffic/make_capture.py" "$scratch/foreign.pcap" 600
check "is replayed by hash" replay "$scratch/foreign.pcap" --pps 5000
check "which is said" grep -q 'not of the fabric get hosts by hash' "$scratch/said"
check "and that they are more than hosts" grep -qE '[0-9]+ addresses share hosts with others, so links' "$scratch/said"
check "for each address" grep -qE '^drbgen:   192\.168\.1\.[0-9]+ h[0-9]+$' "$scratch/said"
printf '192.168.0.0/16 h0\n8.8.0.0/16 h1  # servers\n::192.168.0.0/112 h2\n::8.8.0.0/112 h3\n' >"$scratch/map"
check "with a map" replay "$scratch/foreign.pcap" --pps 5000 --map "$scratch/map"
check "its hosts send" jq -es 'map(select(.host != "all" and .sent > 0) | .host) == ["h0", "h1", "h2"]' \
  "$scratch/report"
check "no hash is needed" bash -c "! grep 'by hash' '$scratch/said'"
check "the busiest link is shown" bash -c "'$build/src/gen/drbgen' replay '$scratch/foreign.pcap' --pps 5000 |
  grep -A2 '^The busiest links' | grep -E 's[123]-'"
echo '10.9.9.9 h99' >"$scratch/map"
check "a map with a mistake" fails_with 2 "$scratch/map:1: .*h0 to h15" drbgen replay --map "$scratch/map" \
  "$scratch/foreign.pcap"
fabric down >/dev/null

# Schemes under the capture. Each run has a fabric of its own.
compare=(/usr/bin/python3 -B "$root/lab/run" compare "$scratch/foreign.pcap" -l 2 --scheme "ecmp,drb" --runs 2 --out "$scratch/compared")
interrupted_compare() {
  "${compare[@]}" >"$scratch/said" 2>&1 &
  local pid=$!
  soon pgrep -x drbgen >/dev/null || return
  kill -TERM $pid
  ! wait $pid && cat "$scratch/said" && grep -q 'of 4 points are done, kept in .*: run it again to go on$' "$scratch/said" && nothing_left
}
check "an interrupted comparison leaves no fabric" interrupted_compare
check "it goes on" "${compare[@]}"
check "all packets of each scheme arrive" python3 -c "
import csv
rows = list(csv.DictReader(open('$scratch/compared/compare.csv')))
print(rows)
assert [row['scheme'] for row in rows] == ['ecmp', 'drb'] and {row['runs'] for row in rows} == {'2'}
assert all(float(row['lost_share']) == 0 and 0 < float(row['latency_p50_us']) <= float(row['latency_p99_us']) for row in rows)
links = list(csv.DictReader(open('$scratch/compared/links.csv')))
assert len(links) == 2 * 24, len(links)
sent = {s: sum(float(l['packets']) for l in links if l['scheme'] == s and l['peer'].endswith('eth0')) for s in ('ecmp', 'drb')}
print(sent)
assert sent['ecmp'] == sent['drb'] == 600 or abs(sent['ecmp'] / sent['drb'] - 1) < 0.01"
check "there is a picture" test -s "$scratch/compared/compare.svg"
check "nothing is left" nothing_left
finish
