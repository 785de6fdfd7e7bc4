#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# drbctl capture delivers the packets that the switch counts, as tshark reads them: over memif
# links, GSO packets, and in both directions. Drops have their reason. tests/process/test_capture.py
# tests readers that are slow, or that end.
# Quiet: a capture that gets no CPU loses packets.
# Full: tshark reads many captures; test_capture.py tests what switches capture.
# shellcheck disable=SC2016 # conditions of awk
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl drbgen
need_tool jq tshark python3

file=$scratch/c.pcapng
# begin ARGUMENT...: starts a capture, which end() ends
begin() {
  : >"$scratch/said"
  "$build/src/ctl/drbctl" capture "$@" 2>"$scratch/said" &
  capture=$!
  soon grep -q 'capturing at' "$scratch/said" >/dev/null || { cat "$scratch/said" && return 1; }
}
end() { # end: $scratch/said has the capture's messages
  kill -INT "$capture"
  wait "$capture"
}
ports() { drbctl show s1-0 ports --json | jq -s 'map({(.port): {in_packets, out_packets, in_discards, out_discards}}) | add'; }
grown() { # grown PORT KEY: prints the growth since $scratch/before
  jq -n --slurpfile a "$scratch/before" --slurpfile b "$scratch/after" "\$b[0][\"$1\"].$2 - \$a[0][\"$1\"].$2"
}
# Reads by tshark, for each frame: interface, direction (1 in, 2 out), EtherType and comment.
read_frames() {
  tshark -r "$file" -T fields -e frame.interface_name -e frame.packet_flags_direction -e eth.type -e frame.comment \
    2>/dev/null | sed 's/0x0000000//' >"$scratch/frames"
}
# frames CONDITION: counts frames that fulfil a condition of awk
frames() { awk -F'\t' "$1 { n++ } END { print n + 0 }" "$scratch/frames"; }

same_counts() { # same_counts: for every port of s1-0, in both directions
  local port shown seen wrong=0 sum=0 on
  for port in d0 d1 u0 u1; do
    on="\$1 == \"s1-0.$port\" && \$3 != \"0x88b5\""
    shown="$(grown "$port" in_packets) $(grown "$port" out_packets) $(grown "$port" in_discards) $(grown "$port" out_discards)"
    seen="$(frames "$on && \$2 == 1 && \$4 !~ /dropped/") $(frames "$on && \$2 == 2 && \$4 !~ /dropped/")"
    seen+=" $(frames "$on && \$2 == 1 && \$4 ~ /dropped/") $(frames "$on && \$2 == 2 && \$4 ~ /dropped/")"
    echo "$port: in, out, dropped in, dropped out: $shown, tshark: $seen"
    [ "$shown" = "$seen" ] || wrong=1
    sum=$((sum + $(grown "$port" in_packets)))
  done
  [ $wrong = 0 ] && [ $sum -gt 500 ]
}

same_ways() { # same_ways: for packets sent up, by decision
  local default redirected full
  default=$(frames '$4 ~ /^default/') redirected=$(frames '$4 ~ /^redirected/')
  full=$(frames '$1 ~ /u[01]$/ && $4 ~ /dropped: queue_full/') # decided, but not sent
  echo "default $default, redirected $redirected, dropped $full; counted $(jq -c . "$scratch/routed")"
  jq -e ".up_default + .up_redirected == $default + $redirected + $full
    and .up_default >= $default and .up_redirected >= $redirected and $redirected > 0" "$scratch/routed"
}
capturing() { drbctl show s1-0 info --json | jq .capturing; }
has_ended() { [ "$(capturing)" = 0 ]; }
routed() { drbctl show s1-0 routing --json | jq -c '{up_default, up_redirected}'; }

# begins_quietly: nothing is counted while a capture begins, such as packets of hosts themselves
begins_quietly() {
  ports >"$scratch/before"
  begin s1-0 -w "$file" || return
  ports >"$scratch/began"
  cmp "$scratch/before" "$scratch/began" && return
  end
  return 1
}

at_rest() { # at_rest: two samples are equal, and no packet is queued
  mv "$scratch/now" "$scratch/after"
  ports >"$scratch/now"
  cmp "$scratch/now" "$scratch/after" && drbctl show s1-0 ports --json | jq -se 'all(.queue_packets == 0)'
}

# record COMMAND...: captures s1-0 meanwhile, and takes counters before and after. Cannot decide if
# something was counted while the capture ended.
record() {
  local first second try=0
  # The function soon() would wait for the capture in the background.
  until begins_quietly; do
    [ $((try += 1)) -lt 50 ] || return
  done
  first=$(routed)
  "$@" >/dev/null 2>"$scratch/sent" || cat "$scratch/sent"
  ports >"$scratch/now" && soon at_rest && second=$(routed)
  capturing >"$scratch/capturing"
  end
  ports >"$scratch/now"
  jq -n "$second as \$b | $first as \$a | \$b | with_entries(.value -= \$a[.key])" >"$scratch/routed"
  cat "$scratch/said"
  read_frames
  cmp "$scratch/now" "$scratch/after" || { echo "packets came while the capture ended" && return "$cannot_tell"; }
}

# record_all COMMAND...: as record, and fails if the capture loses packets. Cannot decide if other
# processes took the CPU.
record_all() {
  local status
  watched record "$@"
  status=$?
  [ $status = 0 ] || return $status
  grep -q ', 0 lost' "$scratch/said" && return
  if disturbed 50 25; then return "$cannot_tell"; fi
  return 1
}

one_port() { # one_port: with a filter and a number of packets
  drbgen replay "$scratch/traffic" >/dev/null 2>&1 &
  local replay=$!
  timeout 60 "$build/src/ctl/drbctl" capture s1-0.u0 -c 20 -w "$file" udp and greater 40 2>"$scratch/said"
  wait "$replay"
  read_frames
  [ "$(frames '$1 == "s1-0.u0" && $3 == "0x0800"')" = 20 ] && [ "$(frames 1)" = 20 ]
}

extcap() { DRBCTL=$build/src/ctl/drbctl "$root/deploy/wireshark/drb-extcap" "$@"; }
wireshark_reads() { # wireshark_reads: uses extcap as Wireshark does
  extcap --extcap-interfaces | grep -qF 'interface {value=drb:drb:s1-0}' || return
  extcap --extcap-dlts --extcap-interface drb:drb:s1-0 | grep -q 'dlt {number=1}' || return
  rm -f "$file" && mkfifo "$scratch/fifo"
  extcap --capture --extcap-interface drb:drb:s1-0 --fifo "$scratch/fifo" --port u0 2>/dev/null &
  local capture=$!
  timeout 90 cat "$scratch/fifo" >"$file" &
  soon has_hellos s1-0.u0 5
  local status=$?
  kill -INT $capture
  wait
  return $status
}
# has_hellos PORT COUNT: the capture has more than COUNT hellos of this port
has_hellos() { read_frames && [ "$(frames "\$1 == \"$1\" && \$3 == \"0x88b5\"")" -gt "$2" ]; }

check "no such switch" fails_with 1 's2-7: not running' drbctl capture s2-7
check "no switch named" fails_with 2 'a switch is missing' drbctl capture
drbgen write -l 2 -d 2 --traffic permutation --load 0.9 --slot 2ms --slots 500 --out "$scratch/traffic" >/dev/null
drbgen write -l 2 -d 2 --traffic permutation --load 0.9 --slot 200us --slots 6000 --out "$scratch/fast" >/dev/null
up -l 2 -d 2 --rate 500pps --queue 6 --links memif --scheme vlb
check "a bad filter is named" fails_with 2 "filter 'host'" drbctl capture s1-0 host
check "nor one that the kernel alone can answer" fails_with 2 "filter 'outbound'.*name a port" drbctl capture s1-0 outbound
check "no such port" fails_with 1 "s1-0 has no port 'u7'" drbctl capture s1-0.u7
echo mine >"$scratch/mine"
check "no such port, and a file" fails_with 1 "s1-0 has no port 'u7'" drbctl capture s1-0.u7 -w "$scratch/mine"
check "which stays as it was" grep -qx mine "$scratch/mine"
check "nor is one made" fails_with 1 "s1-0 has no port 'u7'" drbctl capture s1-0.u7 -w "$scratch/none"
check "indeed" test ! -e "$scratch/none"
check "a file that cannot be" fails_with 2 'none/c: No such file' drbctl capture s1-0 -w "$scratch/none/c"
decide "a replay is recorded, nothing is lost" record_all drbgen replay "$scratch/traffic"
check "the switch said that it captured" grep -qx 1 "$scratch/capturing"
check "and says that it has ended" soon has_ended
check "tshark counts what the switch counts" same_counts
check "decisions are those that were counted" same_ways
check "queue and decision stand in comments" test "$(frames '$4 ~ /^(default|redirected|down), queue [1-9]/')" -gt 100
decide "full queues are recorded, nothing is lost" record_all drbgen replay "$scratch/fast" --slot 400us
check "these drops, too, say why" test "$(frames '$4 ~ /dropped: queue_full/')" -gt 10
check "and are all there" same_counts
check "one port, a filter, a number" one_port
one_line() { # one_line: of an echo request, as people read it
  fabric exec h0 -- ping -c 100 -i 0.1 h7 >/dev/null 2>&1 &
  local ping=$!
  timeout 60 "$build/src/ctl/drbctl" capture s1-0.d0 -c 1 'icmp6 and ip6[40] == 128' 2>/dev/null >"$scratch/line"
  kill $ping
  wait $ping
  cat "$scratch/line"
  [ "$(date +%H)" = "$(cut -c1-2 "$scratch/line")" ] || [ "$(date +%M)" = 00 ] || return
  grep -qE '^[0-9:]{8}\.[0-9]{6} s1-0\.d0 in h0 > h7 icmpv6, 118 bytes$' "$scratch/line"
}
check "a line names time, hosts and protocol" one_line
check "Wireshark's extcap" wireshark_reads
check "down" fabric down

# Hosts use all offloads. Switches have two workers, and each worker has its own ring to the reader.
up -l 2 -d 2 --workers 2 --unit flow
head -c 2000000 /dev/urandom >"$scratch/blob"
fabric exec h7 -- python3 -m http.server -d "$scratch" 8080 >/dev/null 2>&1 &
server=$!
fetch() { fabric exec h0 -- curl -sf --limit-rate 4M -o "$scratch/got" http://10.0.0.8:8080/blob; }
check "a server answers" soon fetch
gso_packets() { drbctl show s1-0 worker --json | jq -s 'map(.gso_packets // 0) | add'; }
before_gso=$(gso_packets)
decide "TCP with GSO packets is recorded by two workers, nothing is lost" record_all fetch
check "it came whole" cmp "$scratch/blob" "$scratch/got"
check "there were GSO packets" test "$(gso_packets)" -gt "$before_gso"
check "tshark counts the packets that the switch counts" same_counts
check "and finds nothing longer than a frame" test "$(tshark -r "$file" -Y 'frame.len > 1522' 2>/dev/null | wc -l)" = 0
kill $server
check "down" fabric down
check "nothing is left" nothing_left
finish
