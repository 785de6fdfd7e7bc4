#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What the kernel drops in front of a switch is counted: a stopped process misses the packets that
# no longer fit into its port's ring, and says so once it runs again.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl
need_tool jq ping

count() { # count KEY: of port d0 of s1-0
  drbctl show s1-0 ports --json | jq "select(.port == \"d0\").$1"
}

# A stopped switch says no hello: its neighbours must go on sending to it.
up -l 2 -d 2 --hello off
fabric exec h0 -- ping -c 1 -W 2 10.0.0.2 >/dev/null # h1's address is known from here on
before=$(count in_packets)
pid=$(drbctl show s1-0 info --json | jq .pid)
kill -STOP "$pid"
fabric exec h0 -- ping -q -c 6000 -l 6000 -W 1 10.0.0.2 >/dev/null 2>&1
kill -CONT "$pid"
seen() { # every packet is; what is in the ring takes a moment
  received=$(($(count in_packets) - before)) missed=$(count in_missed)
  echo "of 6000 packets sent to a stopped switch: $received received, $missed missed"
  [ $((received + missed)) -ge 6000 ]
}
check "every packet is either received or missed" soon seen
seen | sed 's/^/# /'
check "some were missed" [ "$(count in_missed)" -gt 0 ]
check "packets are conserved" drbctl check

# The same between switches: both switches above s1-0 stop.
fabric exec h0 -- ping -c 1 -W 2 10.0.0.7 >/dev/null
check "no link has lost anything so far" fabric check links
core=$(awk '$1 ~ /^s2-/ { print $2 }' /run/drbswitch/drb/processes)
# shellcheck disable=SC2086 # process ids
kill -STOP $core
fabric exec h0 -- ping -q -c 4000 -l 4000 -i 0.001 -W 1 10.0.0.7 >/dev/null 2>&1
# shellcheck disable=SC2086 # process ids
kill -CONT $core
check "the loss is found and named" \
  bash -c "! '$root/topo/fabric' check links >'$scratch/links' 2>&1 &&
    grep -qE '^drbfabric: s1-0.u[01] sent [0-9]+ packets, s2-[01].d0 received' '$scratch/links'"
check "down" fabric down
finish
