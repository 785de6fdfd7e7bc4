#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Switches that are linked by memif die and come back: each link is made again, whichever of its ends
# was away, and nobody has to do anything for it. One starts while a neighbour is dead, too.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl
need_tool jq fping

pid_of() { drbctl list --json | jq -r "select(.switch == \"$1\") | .pid"; }
start() { # start SWITCH
  fabric exec "$1" -- "$build/src/switch/drbswitch" -c "/run/drbswitch/drb/$1.yaml" >"$scratch/$1" 2>&1 &
}
usable_now() { [ "$(drbctl list --json | jq -s 'map(.ports_usable) | add')" = "$1" ]; }
usable() { soon usable_now "$1" || { drbctl list && false; }; }

up -l 3 -d 2 --links memif
check "80 ports are usable" usable 80
kill -KILL "$(pid_of s2-4)"
check "s2-4 is dead: its neighbours know" usable 72
start s2-4
check "s2-4 is back: all links are" usable 80
well "every pair, wiring, counters" wiring ping counters

kill -KILL "$(pid_of s2-0)" "$(pid_of s3-0)"
start s2-0
check "s2-0 starts while s3-0 is dead" usable 72
check "it says which of its ports waits" soon grep -q "port u0: s3-0 has not come" "$scratch/s2-0"
decide "every pair, meanwhile" undisturbed 200 fabric check ping
start s3-0
check "s3-0 is back as well" usable 80
well "every pair, wiring, in the end" wiring ping
check "down" fabric down
check "nothing is left" nothing_left
finish
