#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Twenty idle switches together wake at most 200 times a second, nearly always for hellos. If hellos
# come late because switches wait for a CPU, links are not at rest, and hellos are more. Twice as
# many hellos exceed that bound. What a wake-up costs depends on the machine: tests/bench/footprint
# measures the CPU time.
# Alone: other work delays hellos.
# Full: it waits until hosts are silent; doorbell.sh tests which switch wakes which.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch
need_tool python3
most=200 seconds=10

# of_switches FILE PROGRAM: sums up what awk's PROGRAM adds to s, over this file of all threads
of_switches() {
  local pid
  for pid in $(pgrep -x drbswitch); do cat "/proc/$pid/task/"*/"$1"; done | awk "$2 END { printf \"%.0f\\n\", s }"
}
cpu_ns() { of_switches schedstat '{ s += $1 }'; }
wakes() { of_switches status '/^voluntary/ { s += $2 }'; }

# measure COMMAND...: runs it; sets woke, the wake-ups per second of all switches meanwhile, and
# share, their CPU time in per cent of a core
measure() {
  local wakes cpu began took
  wakes=$(wakes) cpu=$(cpu_ns) began=$(date +%s%N)
  "$@"
  took=$(($(date +%s%N) - began))
  woke=$((($(wakes) - wakes) * 1000000000 / took))
  share=$((($(cpu_ns) - cpu) * 100 / took))
}

up -l 3 -d 2
sleep 13 # hosts ask for routers for 12 s after they come up
at_rest() {
  measure sleep $seconds
  echo "$woke wake-ups a second, $share % of a core"
  # A switch that polls without sleeping does not wake, but takes a whole core.
  [ "$woke" -lt $most ] && [ "$share" -lt 10 ]
}
decide "20 idle switches wake less than $most times a second" undisturbed 100 at_rest
check "with twice as many hellos" fabric replan -l 3 -d 2 --hello 50ms
sleep 3 # links become quiet
measure sleep $seconds
check "they wake more often than the bound allows ($woke times)" test "$woke" -gt $most
measure fabric exec h4 -- ping -q -c 500 -i 0.002 10.0.0.11 >/dev/null
check "busy ones are seen to work ($woke wake-ups)" test "$woke" -gt $((5 * most))
# An interface that goes down leaves an error at its socket. If that woke a switch for ever, it
# would take a whole core.
fabric exec s2-0 -- ip link set u0 down
measure sleep 2
check "nor are they kept awake by an interface that is down ($share % of a core)" test "$share" -lt 50
check "down" fabric down
finish
