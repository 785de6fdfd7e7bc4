#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Twenty switches with nothing to do wait instead of polling. What they use is printed: under 2 % of one
# core together on a quiet machine (IDLE_BELOW=2 holds it to that), of which hellos are all but 0.1.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/story.bash"
need drbtopo drbswitch
seconds=3

switch_cpu_ns() {
  local pid
  for pid in $(pgrep -x drbswitch); do
    cat "/proc/$pid/task/"*/schedstat
  done | awk '{ s += $1 } END { printf "%.0f\n", s }'
}

share() { # share COMMAND...: percent of one core that all switches use while the command runs
  local before after began ended
  before=$(switch_cpu_ns)
  began=$(date +%s%N)
  "$@" >/dev/null
  ended=$(date +%s%N)
  after=$(switch_cpu_ns)
  awk -v ns=$((after - before)) -v time=$((ended - began)) 'BEGIN { printf "%.2f", 100 * ns / time }'
}

below() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a < b) }'; }

up -l 3 -d 2
sleep 2 # what hosts say when they come up is over
# The machine's other work adds to it, never takes away: the least of three.
idle=100
for _ in 1 2 3; do
  now=$(share sleep $seconds)
  if below "$now" "$idle"; then idle=$now; fi
done
check "20 idle switches use $idle % of one core" below "$idle" "${IDLE_BELOW:-5}"
busy=$(share fabric exec h4 -- ping -q -c 500 -i 0.002 10.0.0.11)
check "busy ones are seen to work ($busy %)" below 0.1 "$busy"
check "down" fabric down
finish
