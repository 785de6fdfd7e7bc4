#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs the same fabric over every kind of link between switches; ports of each kind can be taken
# down.
# Full: it starts a fabric three times; replay.sh has veth and memif links, steer.sh AF_XDP.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl
need_tool fping jq

port_is() { drbctl show "$1" links --json | jq -es --arg p "$2" --arg s "$3" 'any(.[]; .port == $p and .state == $s)'; }

for driver in af_packet memif af_xdp; do
  if [ $driver = af_xdp ] && [ "$(awk '{ print $2 }' /proc/self/uid_map)" != 0 ]; then
    skip "$driver" "programs cannot be loaded in a user namespace"
    continue
  fi
  up_over $driver -l 3 -d 2
  well "$driver: wiring, pings, counters" wiring ping counters links
  check "$driver: a port is taken down" drbctl down s1-0.u0
  check "$driver: its neighbour finds out" soon port_is s2-0 d0 down
  decide "$driver: every pair without it" undisturbed 200 fabric check ping
  check "$driver: and up" drbctl up s1-0.u0
  check "$driver: its neighbour uses it" soon port_is s2-0 d0 up
  check "$driver: down" fabric down
  check "$driver: nothing is left" nothing_left
done
finish
