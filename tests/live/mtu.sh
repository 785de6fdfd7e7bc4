#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Packets as long as fabric.mtu cross the fabric on every kind of link, longer ones do not, and a host that sends
# longer ones is told how long they may be: path MTU discovery of IPv4, IPv6 and TCP works.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/story.bash"
need drbtopo drbswitch drbctl drbgen
need_tool jq iperf3 ping

host() { fabric exec "$@"; } # host NAME -- COMMAND...

usable() { [ "$(drbctl list --json | jq -s 'map(.ports_usable) | add')" = "$1" ]; }
sum_of() { drbctl show --all "$1" --json | jq -s "map(.$2) | add"; }

# whole PACKET TO: a packet of so many octets that may not be cut comes there and back
whole() { host h0 -- ping -q -M 'do' -s $(($1 - 28)) -c 3 -i 0.1 -W 2 "$2"; }
whole6() { host h0 -- ping -6 -q -M 'do' -s $(($1 - 48)) -c 3 -i 0.1 -W 2 "$2"; }

too_long() { host h0 -- ping -M 'do' -s $(($1 - 28)) -c 1 -W 2 "$2" 2>&1 | grep -i "message too long.*$3"; }

listens() { host "$1" -- ss -ltn | grep :5999; }
stream() { # stream FROM TO OCTETS: one TCP stream, whole
  local server status
  host "$2" -- timeout 60 iperf3 -s -1 -p 5999 >/dev/null &
  server=$!
  soon listens "$2"
  host "$1" -- timeout 30 iperf3 -c 10.0.0.$((${2#h} + 1)) -p 5999 -n "$3" -J >"$scratch/stream"
  status=$?
  kill $server 2>/dev/null
  wait $server
  [ $status = 0 ] && jq -e ".end.sum_sent.bytes >= $3 and .end.sum_received.bytes > 0" "$scratch/stream" >/dev/null
}

# replays MTU: drbgen's packets of that length all arrive
replays() {
  rm -rf "$scratch/traffic"
  drbgen write -l 2 -d 2 --traffic permutation --load 0.3 --slot 2ms --slots 100 --size $(($1 + 14)) --out "$scratch/traffic" &&
    drbgen replay "$scratch/traffic" --json | jq -e '.sent > 100 and .received == .sent'
}

for kind in af_packet:9000 memif:9000 af_xdp:9000 af_packet:1280; do
  driver=${kind%:*} mtu=${kind#*:}
  up -l 2 -d 2 --driver "$driver" --mtu "$mtu"
  check "$driver, MTU $mtu: wiring, pings, counters" fabric check wiring ping counters
  check "$driver: hosts have it" test "$(host h0 -- cat /sys/class/net/eth0/mtu)" = "$mtu"
  check "$driver: a packet of $mtu octets, IPv4" whole "$mtu" 10.0.0.8
  check "$driver: the same in IPv6" whole6 "$mtu" fd00::8
  check "$driver: no longer one" too_long $((mtu + 1)) 10.0.0.8 "$mtu"
  check "$driver: a TCP stream" stream h1 h6 20000000
  check "$driver: traffic of such packets" replays "$mtu"
  check "$driver: all ports are in use" usable 24
  check "$driver: nothing was too long" test "$(sum_of drops oversize)" = 0
  check "$driver: packets are conserved" drbctl check
  check "$driver: down" fabric down
done
check "nothing is left of it" nothing_left
check "out of range" fails_with 2 '1280..9000' fabric up -l 2 -d 2 --mtu 1000

# Hosts whose own interfaces take more than the fabric carries.
up -l 2 -d 2
drbgen write -l 2 -d 2 --traffic permutation --load 0.3 --slots 10 --size 1515 --out "$scratch/too_long" 2>/dev/null
check "traffic of longer packets" fails_with 2 'frames of 1515 bytes need an MTU of 1501, and that of a host is 1500: .*--size 1514' \
  drbgen replay "$scratch/too_long"
larger() { # larger HOST SWITCH PORT
  host "$1" -- ip link set eth0 mtu 9000 && host "$2" -- ip link set "$3" mtu 9000
}
check "two hosts with an MTU of 9000" larger h0 s1-0 d0
check "and the other" larger h7 s1-3 d1
told() { host h0 -- ping "$@" 2>&1 | tee "$scratch/told" | grep -qiE 'mtu ?= ?1500'; }
check "the sender of a longer packet is told, IPv4" told -M 'do' -s 4000 -c 1 -W 2 10.0.0.8
check "and knows it from then on" too_long 4028 10.0.0.8 1500
host h0 -- ip route flush cache
check "also by one octet" told -M 'do' -s 1473 -c 1 -W 2 10.0.0.8
check "IPv6" told -6 -M 'do' -s 4000 -c 1 -W 2 fd00::8
check "what fits still comes" whole 1500 10.0.0.8
check "and in IPv6" whole6 1500 fd00::8
host h0 -- ip route flush cache
check "a TCP stream of long segments finds the path's MTU" stream h7 h0 20000000
check "and the other way" stream h0 h7 20000000
check "dropped packets are counted" test "$(sum_of drops oversize)" -ge 3
check "and answers" test "$(sum_of routing too_big_replies)" -ge 3
check "no GSO packet is called bad" test "$(sum_of drops bad_gso)" = 0
check "packets are conserved" drbctl check
check "down" fabric down
check "nothing is left" nothing_left
finish
