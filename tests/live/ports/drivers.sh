#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The same fabric over every kind of link between switches.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl
need_tool fping

for driver in af_packet memif af_xdp; do
  if [ $driver = af_xdp ] && [ "$(awk '{ print $2 }' /proc/self/uid_map)" != 0 ]; then
    skip "$driver" "programs cannot be loaded in a user namespace"
    continue
  fi
  up_over $driver -l 3 -d 2
  check "$driver: wiring, pings, counters" fabric check wiring ping counters links
  check "$driver: down" fabric down
  check "$driver: nothing is left" nothing_left
done
finish
