#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Twenty switches with nothing to do use under 1 % of one core together, nearly all of it for hellos: on a machine
# where a frame over a veth pair and its answer, to processes that sleep 48 ms, cost 105 us (wakes.c, measured at
# the same time). Waking a CPU that had nothing to do is most of both. Where the control costs more, switches may use
# more by the same factor. The least of three looks at a machine without other work counts, or of eight at any.
# Alone: CPU time is measured.
# Full: it waits until hosts are silent; doorbell.sh tells who wakes whom.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch
need_tool python3 gcc
looks=8 quiet_looks=3 bound=1 control_us=105

switch_cpu_ns() {
  local pid
  for pid in $(pgrep -x drbswitch); do
    cat "/proc/$pid/task/"*/schedstat
  done | awk '{ s += $1 } END { printf "%.0f\n", s }'
}

# share COMMAND...: percent of one core that all switches use while the command runs; then percent of
# all cores that nobody uses, and that were taken away
share() {
  local before after began ended machine
  before=$(switch_cpu_ns)
  began=$(date +%s%N)
  machine=$(python3 -B "$root/tests/live/machine.py" "$@")
  ended=$(date +%s%N)
  after=$(switch_cpu_ns)
  awk -v ns=$((after - before)) -v time=$((ended - began)) 'BEGIN { printf "%.2f ", 100 * ns / time }'
  echo "$machine"
}

below() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a < b) }'; }

gcc -O2 -o "$scratch/wakes" "$root/tests/live/load/wakes.c" || cannot_run "gcc does not compile wakes.c"
ip link add idle0 up type veth peer name idle1
ip link set idle1 up
up -l 3 -d 2
sleep 13 # what hosts say when they come up is over: they ask for routers for 12 s
# as_control NOW WAKE_US: what NOW would be where the control costs as much as the bound is made for
as_control() {
  awk -v now="$1" -v us="$2" -v at=$control_us 'BEGIN { printf "%.2f\n", now / (us > at ? us / at : 1) }'
}
look() { # into now, free, stolen, wake_us, scaled
  read -r now free stolen < <(share bash -c '"$0" idle0 idle1 >"$1"' "$scratch/wakes" "$scratch/wake_us")
  wake_us=$(cat "$scratch/wake_us")
  scaled=$(as_control "$now" "$wake_us")
}
least=100 quiet=0
for ((i = 0; i < looks; i++)); do
  look
  echo "# $now % of one core, $scaled % as the control costs $wake_us us; $free % of all CPUs were free, $stolen % taken away"
  if below "$scaled" "$least"; then least=$scaled; fi
  if below "$least" $bound; then break; fi
  # What the switches themselves use is not other work.
  free=$(awk -v free="$free" -v now="$now" -v cpus="$(nproc)" 'BEGIN { print free + now / cpus }')
  if below 90 "$free" && below "$stolen" 3; then quiet=$((quiet + 1)); fi
  [ $quiet -lt $quiet_looks ] || break
  again "20 idle switches" "$scaled % of one core, $free % of all were free"
done
what="20 idle switches use $least % of one core"
if below "$least" $bound || [ $quiet -gt 0 ]; then
  check "$what" below "$least" $bound
else
  undecided "$what" "the machine did other work at every look"
fi
# The bound is no wider than that: twice as many hellos are beyond it, measured the same way.
check "with twice as many hellos" fabric replan -l 3 -d 2 --hello 50ms
sleep 3 # links come to rest
look
check "they use more than the bound ($now %, $scaled % as the control costs $wake_us us)" below $bound "$scaled"
read -r busy _ < <(share "$root/topo/fabric" exec h4 -- ping -q -c 500 -i 0.002 10.0.0.11)
check "busy ones are seen to work ($busy %)" below 0.1 "$busy"
# An interface that goes down leaves an error at its socket, which nobody must be woken by for ever: that
# would take all of a core.
fabric exec s2-0 -- ip link set u0 down
read -r down _ < <(share sleep 2)
check "nor are they kept awake by an interface that is down ($down %)" below "$down" 50
check "down" fabric down
finish
