#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Scheme walk under one persistent permutation loses nothing. Packets walk at every switch that
# sends up, and hosts see no mark. Beside a dead uplink, packets walk over the remaining uplinks.
# Quiet: no packet may be lost.
# Full: test_spreading.c and test_scheme_state.c test the rule, and schemes.sh tests it live.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbgen drbctl
need_tool jq tcpdump ping

whole() { # whole FOLDER PACKETS: more than PACKETS are sent, and all arrive once at the right hosts
  drbgen replay "$1" --json >"$scratch/report"
  cat "$scratch/report"
  jq -e ".sent > $2 and .lost == 0 and .duplicated == 0 and .misdelivered == 0" "$scratch/report"
}

walked() { # walked SWITCH: prints the number of packets that walked there
  drbctl show "$1" routing --json | jq .up_walked
}

# sources NODE PORT: prints the different source MACs of the next IP packets there
sources() {
  fabric exec "$1" -- timeout 20 tcpdump -i "$2" -nn -e -c 100 -Q in udp or icmp 2>/dev/null |
    awk '{ print $2 }' | sort -u
}

drbgen write -l 3 -d 2 --traffic fixed --load 0.9 --slots 1000 --slot 4ms --seed 3 --out "$scratch/fixed"
up -l 3 -d 2 --scheme walk --rate 250pps
well "every pair answers" wiring ping
decide "fixed: nothing is lost, duplicated or misdelivered" unhindered 100 25 whole "$scratch/fixed" 13000
check "packets are conserved" fabric check counters
for switch in s1-0 s1-7 s2-0 s2-7; do
  check "packets walked at $switch" test "$(walked $switch)" -gt 100
done
check "none did in the core" test "$(walked s3-0)" = 0
# Packets from h4 to h10 cross the core, and both uplinks carry marked packets: the default uplink
# is saturated if ping gets enough time.
are_marked() {
  local pings
  "$root/topo/fabric" exec h4 -- ping -q -i 0.004 10.0.0.11 >/dev/null &
  pings=$!
  sources s2-2 d0 >"$scratch/between"
  sources h10 eth0 >"$scratch/host"
  kill $pings
  wait $pings
  cat "$scratch/between" "$scratch/host"
  grep -qx "02:01:00:00:00:04" "$scratch/between"
}
decide "marks are seen between switches" unhindered 100 25 are_marked
fabric exec h4 -- ping -q -i 0.004 -c 500 10.0.0.11 >"$scratch/ping"
check "and none by hosts" test "$(cat "$scratch/host")" = "02:00:00:00:00:04"
check "all pings came back" grep -q " 0% packet loss" "$scratch/ping"

# Half of the pods send and the others receive. Switches that hear no senders walk, too, and queues
# stay short.
drbgen write -l 3 -d 2 --traffic oneway:0.5:0 --load 0.8 --slots 1500 --slot 4ms --seed 5 --out "$scratch/oneway"
before=$(for switch in s1-{0..7}; do walked $switch; done | jq -s add)
decide "one way: nothing is lost, duplicated or misdelivered" unhindered 100 25 whole "$scratch/oneway" 9000
after=$(for switch in s1-{0..7}; do walked $switch; done | jq -s add)
check "one way: senders walk" test $((after - before)) -gt 6000

# All hosts at a layer-1 switch share one default uplink. The hosts of s1-0, whose other uplink
# dies, send and receive no more than one link can carry.
dead_uplink() {
  local h to rate
  echo slot,from,to,rate
  for h in {0..15}; do
    to=$((h < 8 ? 2 * ((h + 4) % 8) : 2 * ((h + 6) % 8) + 1))
    rate=$((h < 2 || to < 2 ? 4 : 10))
    echo "0,$h,$to,$((rate / 10)).$((rate % 10))"
  done
}

dead_uplink >"$scratch/pairs.csv"
drbgen write -l 3 -d 2 --traffic "file:$scratch/pairs.csv" --load 0.9 --slots 1000 --slot 4ms --out "$scratch/dead"
check "replan to threshold 2" fabric replan --scheme walk --threshold 2
check "80 ports are usable" soon usable 80
ip -n drb-s1-0 link set u1 down
check "its neighbour knows of a dead uplink" soon usable 78
decide "dead uplink: nothing is lost, duplicated or misdelivered" unhindered 100 25 whole "$scratch/dead" 11000
check "dead uplink: packets are conserved" drbctl check
for switch in s1-0 s1-1 s1-7; do
  check "packets walked at $switch" test "$(walked $switch)" -gt 100
done
ip -n drb-s1-0 link set u1 up
check "the uplink is back" soon usable 80
decide "uplink back: nothing is lost, duplicated or misdelivered" unhindered 100 25 whole "$scratch/fixed" 13000
check "packets walked where it was dead" test "$(walked s1-0)" -gt 100
check "down" fabric down
finish
