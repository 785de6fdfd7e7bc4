#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Switches with memif links sleep until a peer rings the doorbell. Hellos are off, because they
# would also wake switches.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl
need_tool fping

# sleeps: how often all switches of the fabric have fallen asleep so far
sleeps() {
  drbctl show --all worker --json | grep -o '"sleeps": *[0-9]*' | awk -F: '{ s += $2 } END { print s + 0 }'
}

# If they polled every millisecond instead, twenty switches would fall asleep 20000 times a second.
quiet() {
  local before after
  before=$(sleeps)
  sleep 1
  after=$(sleeps)
  echo "# fell asleep $((after - before)) times in a second" | tee "$scratch/sleeps"
  [ $((after - before)) -lt 2000 ]
}

up -l 3 -d 2 --links memif --hello off
sleep 2 # packets that hosts send when they come up are over
check "20 idle switches sleep until something comes" quiet
cat "$scratch/sleeps"
# Pings go one at a time, and all switches are asleep before each.
check "each of 40 pings wakes every switch on its way" \
  fabric exec h0 -- fping -q -c 40 -p 50 -t 20000 10.0.0.16
well "all hosts reach each other, nothing is lost" wiring ping counters
check "down" fabric down
check "nothing is left" nothing_left
finish
