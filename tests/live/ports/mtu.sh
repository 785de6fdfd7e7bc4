#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Packets as long as fabric.mtu cross the fabric over every kind of link, and longer ones do not. A
# host that sends longer ones learns the limit: path MTU discovery works for IPv4, IPv6 and TCP.
# Full: it brings up a fabric for each driver and size; drivers.sh sends over all drivers.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl drbgen
need_tool jq iperf3 ping curl python3

host() { fabric exec "$@"; } # host NAME -- COMMAND...

sum_of() { drbctl show --all "$1" --json | jq -s "map(.$2) | add"; }

# whole PACKET TO: an unfragmented packet of PACKET bytes arrives and is answered
whole() { host h0 -- ping -q -M 'do' -s $(($1 - 28)) -c 3 -i 0.1 -W 2 "$2"; }
whole6() { host h0 -- ping -6 -q -M 'do' -s $(($1 - 48)) -c 3 -i 0.1 -W 2 "$2"; }

too_long() { host h0 -- ping -M 'do' -s $(($1 - 28)) -c 1 -W 2 "$2" 2>&1 | grep -i "message too long.*$3"; }

stream() { # stream FROM TO BYTES: one TCP stream of so many bytes arrives complete
  local server status
  host "$2" -- timeout 150 iperf3 -s -1 -p 5999 >/dev/null &
  server=$!
  soon listens "$2" 5999
  host "$1" -- timeout 120 iperf3 -c 10.0.0.$((${2#h} + 1)) -p 5999 -n "$3" -J >"$scratch/stream"
  status=$?
  kill $server 2>/dev/null
  wait $server
  [ $status = 0 ] && jq -e ".end.sum_sent.bytes >= $3 and .end.sum_received.bytes > 0" "$scratch/stream" >/dev/null
}

# file FROM TO: a file arrives bit for bit
mkdir "$scratch/www"
head -c 20000000 /dev/urandom >"$scratch/www/file"
serves() { host "$1" -- ss -ltnH 'sport = :8000' | grep .; }
file() {
  local server status
  "$root/topo/fabric" exec "$1" -- python3 -m http.server -d "$scratch/www" 8000 >"$scratch/http" 2>&1 &
  server=$!
  soon serves "$1"
  host "$2" -- curl -sS -m 300 -o "$scratch/got" "http://10.0.0.$((${1#h} + 1)):8000/file"
  status=$?
  kill $server
  wait $server
  [ $status = 0 ] && cmp "$scratch/www/file" "$scratch/got"
}

# larger HOST MTU: the host's interface takes longer packets than the fabric
larger() { host "$1" -- ip link set eth0 mtu "$2"; }
# told MTU ARGUMENT...: the sender of a ping learns that its packet exceeds this MTU
told() {
  host h0 -- ping -M 'do' -c 1 -W 2 "${@:2}" 2>&1 | tee "$scratch/told" | grep -qiE "mtu ?= ?$1"
}

# replays MTU: all of drbgen's packets of that length arrive
replays() {
  rm -rf "$scratch/traffic"
  drbgen write -l 2 -d 2 --traffic permutation --load 0.3 --slot 2ms --slots 100 --size $(($1 + 14)) --out "$scratch/traffic" &&
    drbgen replay "$scratch/traffic" --json | jq -e '.sent > 100 and .received == .sent'
}

for kind in af_packet:9000 memif:9000 af_xdp:9000 af_packet:1280; do
  driver=${kind%:*} mtu=${kind#*:}
  up_over "$driver" -l 2 -d 2 --mtu "$mtu"
  well "$driver, MTU $mtu: wiring, pings, counters" wiring ping counters
  check "$driver: hosts have it" test "$(host h0 -- cat /sys/class/net/eth0/mtu)" = "$mtu"
  check "$driver: a packet of $mtu octets, IPv4" whole "$mtu" 10.0.0.8
  check "$driver: the same in IPv6" whole6 "$mtu" fd00::8
  check "$driver: no longer one" too_long $((mtu + 1)) 10.0.0.8 "$mtu"
  check "$driver: a file comes bit for bit" file h1 h6
  decide "$driver: traffic of such packets" undisturbed 100 replays "$mtu"
  check "$driver: all ports are in use" soon usable 24
  check "$driver: nothing was too long" test "$(sum_of drops oversize)" = 0
  check "$driver: a host sends longer ones" larger h0 $((mtu + 100))
  check "$driver: is told, of one octet" told "$mtu" -s $((mtu - 27)) 10.0.0.8
  check "$driver: and in IPv6, of more" told "$mtu" -6 -s $((mtu + 30)) fd00::8
  check "$driver: two were too long" test "$(sum_of drops oversize)" = 2
  check "$driver: two answers" test "$(sum_of routing too_big_replies)" = 2
  check "$driver: packets are conserved" drbctl check
  check "$driver: down" fabric down
done
check "nothing is left of these" nothing_left
check "out of range" fails_with 2 '1280..9000' fabric up -l 2 -d 2 --mtu 1000

# Interfaces of hosts take longer packets than the fabric carries.
up -l 2 -d 2
drbgen write -l 2 -d 2 --traffic permutation --load 0.3 --slots 10 --size 1515 --out "$scratch/too_long" 2>/dev/null
check "traffic of longer packets" fails_with 2 'frames of 1515 bytes need an MTU of 1501, and that of a host is 1500: .*--size 1514' \
  drbgen replay "$scratch/too_long"
check "two hosts with an MTU of 9000" larger h0 9000
check "and the other" larger h7 9000
check "the sender of a longer packet is told, IPv4" told 1500 -s 4000 10.0.0.8
check "and knows it from then on" too_long 4028 10.0.0.8 1500
host h0 -- ip route flush cache
check "also by one octet" told 1500 -s 1473 10.0.0.8
check "IPv6" told 1500 -6 -s 4000 fd00::8
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
