#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Packets that the kernel drops in front of a switch are counted. A stopped switch misses packets
# that do not fit into its port's ring, and reports them once it runs again.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl
need_tool jq ping

count() { # count KEY: prints this counter of port d0 of s1-0
  drbctl show s1-0 ports --json | jq "select(.port == \"d0\").$1"
}

# A stopped switch sends no hellos. Without hellos, its neighbours go on sending to it.
up -l 2 -d 2 --hello off
fabric exec h0 -- ping -c 1 -W 2 10.0.0.2 >/dev/null # h1's address is known from now on
before=$(count in_packets)
pid=$(drbctl show s1-0 info --json | jq .pid)
kill -STOP "$pid"
fabric exec h0 -- ping -q -c 6000 -l 6000 -W 1 10.0.0.2 >/dev/null 2>&1
kill -CONT "$pid"
# seen: all packets are counted; those in the ring take a moment
seen() {
  received=$(($(count in_packets) - before)) missed=$(count in_missed)
  echo "of 6000 packets sent to a stopped switch: $received received, $missed missed"
  [ $((received + missed)) -ge 6000 ]
}
check "every packet is either received or missed" soon seen
seen | sed 's/^/# /'
check "some were missed" [ "$(count in_missed)" -gt 0 ]
check "packets are conserved" drbctl check

# The same holds between switches: both switches above s1-0 stop.
fabric exec h0 -- ping -c 1 -W 2 10.0.0.7 >/dev/null
check "no link has lost anything so far" fabric check links
core=$(drbctl list --json | jq 'select(.switch | startswith("s2-")).pid')
# shellcheck disable=SC2086 # process ids
kill -STOP $core
fabric exec h0 -- ping -q -c 4000 -l 4000 -i 0.001 -W 1 10.0.0.7 >/dev/null 2>&1
# shellcheck disable=SC2086 # process ids
kill -CONT $core
check "the loss is found and named" \
  bash -c "! '$root/topo/fabric' check links >'$scratch/links' 2>&1 &&
    grep -qE '^drbfabric: s1-0.u[01] sent [0-9]+ packets, s2-[01].d0 received' '$scratch/links'"
check "down" fabric down

# Datagrams take only one link here. Of one length, many of them are one GSO packet, and these fill
# the buffer of the stopped switch. Then the length changes with every fourth, so that more frames
# come than its ring holds. The packets sent are exactly those received plus those missed.
up -l 3 -d 2 --hello off --scheme dmodk
fabric exec h0 -- ping -c 1 -W 2 10.0.0.16 >/dev/null
core=$(drbctl list --json | jq 'select(.switch | startswith("s3-")).pid')
# shellcheck disable=SC2086 # process ids
kill -STOP $core
fabric exec h0 -- python3 -c "
import socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.connect(('10.0.0.16', 9))
for n in range(32000):
    s.send(bytes(1000 if n < 24000 or n & 4 else 1008))
    n % 100 or time.sleep(0.002)" 2>/dev/null
# shellcheck disable=SC2086 # process ids
kill -CONT $core
port() { # port SWITCH PORT FILTER
  drbctl show "$1" ports --json | jq "select(.port == \"$2\") | $3"
}
missing_at() { drbctl show --all ports --json | jq -r 'select(.switch[:2] == "s3" and .in_missed > 0) | .switch, .port'; }
adds_up() {
  local there=() here=()
  mapfile -t there < <(missing_at)
  [ ${#there[@]} = 2 ] || return
  mapfile -t here < <(jq -r '.links[] | select(.upper == $ARGS.positional[0] and .upper_port == $ARGS.positional[1]) |
    .lower, .lower_port' /run/drbswitch/drb/plan.json --args "${there[@]}")
  echo "${here[*]} sent $(port "${here[@]}" .out_packets), ${there[*]}: $(port "${there[@]}" '"\(.in_packets) received, \(.in_missed) missed"')"
  [ "$(port "${here[@]}" .out_packets)" = "$(port "${there[@]}" '.in_packets + .in_missed')" ]
}
check "F(3,2): packets that a link lost are counted exactly" soon adds_up
adds_up | sed 's/^/# /'
joined() { drbctl show --all worker --json | jq -es 'map(select(.switch[:2] == "s2").gso_packets) | add > 1000'; }
if [ "$(awk '{ print $2 }' /proc/self/uid_map)" = 0 ]; then
  check "most of them came as GSO packets" joined
else
  skip "GSO packets" "programs cannot be loaded in a user namespace"
fi
check "and were many" [ "$(drbctl show --all ports --json | jq -s 'map(select(.switch[:2] == "s3").in_missed) | add')" -gt 2000 ]
check "packets are conserved" drbctl check
check "down" fabric down
finish
