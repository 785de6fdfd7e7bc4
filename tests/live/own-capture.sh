#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A capture of a fabric is replayed by the hosts that it is of; others by those that a map names.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/story.bash"
need drbtopo drbswitch drbgen
need_tool tcpdump jq

up -l 3 -d 2 --scheme dmodk
pings=20
record() {
  rm -f "$scratch/own.pcap"
  "$root/topo/fabric" exec h4 -- tcpdump -Z root -q --immediate-mode -i eth0 -w "$scratch/own.pcap" -U "$1" >/dev/null 2>&1 &
  local recorder=$!
  soon test -s "$scratch/own.pcap" >/dev/null
  fabric exec h4 -- ping -q -c $pings -i 0.01 "$2"
  sleep 0.2
  kill -TERM $recorder
  wait $recorder
}
replay() {
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
check "answers of the kernel are counted" host_says h4 '.others > 0'
check "and explained" grep -q 'other packets came to the hosts.*kernels' "$scratch/said"
check "no address needs a hash" bash -c "! grep 'by hash' '$scratch/said'"
check "IPv6 is recorded" record icmp6 fd00::b
drbgen replay "$scratch/own.pcap" --json >"$scratch/report" 2>/dev/null # kernels answer with the same bytes
check "h4 sends what h4 sent there" host_says h4 ".sent >= $pings"

check "somebody else's capture" python3 -B "$root/tests/live/make_capture.py" "$scratch/foreign.pcap" 600
check "is replayed by hash" replay "$scratch/foreign.pcap" --pps 5000
check "which is said" grep -q 'not of the fabric get hosts by hash' "$scratch/said"
check "for each address" grep -qE '^drbgen:   192\.168\.1\.[0-9]+ h[0-9]+$' "$scratch/said"
printf '192.168.0.0/16 h0\n8.8.0.0/16 h1  # servers\n::192.168.0.0/112 h2\n::8.8.0.0/112 h3\n' >"$scratch/map"
check "with a map" replay "$scratch/foreign.pcap" --pps 5000 --map "$scratch/map"
check "its hosts send" jq -es 'map(select(.host != "all" and .sent > 0) | .host) == ["h0", "h1", "h2"]' \
  "$scratch/report"
check "no hash is needed" bash -c "! grep 'by hash' '$scratch/said'"
echo '10.9.9.9 h99' >"$scratch/map"
check "a map with a mistake" fails_with 2 "$scratch/map:1: .*h0 to h15" drbgen replay --map "$scratch/map" \
  "$scratch/foreign.pcap"
fabric down >/dev/null
check "nothing is left" nothing_left
finish
