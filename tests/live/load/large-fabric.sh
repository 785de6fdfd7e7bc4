#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs F(3,8), 320 switches and 1024 hosts, in a cgroup of 8 GB, from a shell that may open 1024
# files, as Debian's may. The fabric comes up although its switches share a few CPUs. All neighbours
# hear each other, packets arrive for 20 minutes, and counters can be read. Then the fabric goes
# down. Runs only with --long, for its length.
#   large-fabric.sh [--arity D] [--minutes N]
# Alone: it takes every CPU.
if [ -z "${DRB_LONG:-}" ]; then
  echo "ok large fabric # SKIP it takes 25 minutes and 8 GB: --long"
  exit
fi
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl drbgen
need_tool jq
arity=8 minutes=20
while [ $# -gt 0 ]; do
  case $1 in
    --arity) arity=$2 ;;
    --minutes) minutes=$2 ;;
    *) cannot_run "'$1': it takes --arity and --minutes" ;;
  esac
  shift 2
done
switches=$((5 * arity * arity)) hosts=$((2 * arity ** 3)) gigabytes=8
ulimit -Sn 1024

# The limit also covers kernel memory of this story's processes. Uses version 1 of cgroups where
# that is mounted, otherwise version 2.
if [ -e /sys/fs/cgroup/memory/memory.limit_in_bytes ]; then
  group=/sys/fs/cgroup/memory/drb-large limit=memory.limit_in_bytes peak=memory.max_usage_in_bytes
  before=/sys/fs/cgroup/memory$(awk -F: '$2 == "memory" { print $3 }' /proc/self/cgroup)
else
  group=/sys/fs/cgroup/drb-large limit=memory.max peak=memory.peak
  before=/sys/fs/cgroup$(awk -F: '$1 == 0 { print $3 }' /proc/self/cgroup)
fi
leave_group() { echo $$ >"$before/cgroup.procs" && rmdir "$group"; }
{ mkdir -p "$group" && echo $((gigabytes << 30)) >"$group/$limit" && echo $$ >"$group/cgroup.procs"; } 2>"$scratch/said" ||
  cannot_run "a cgroup with a limit of memory: $(head -1 "$scratch/said")"
trap leave_group EXIT

all_are_up() { [ "$(drbctl metrics | grep -c '^drb_up{.*} 1$')" = $switches ]; }
nothing_lost() {
  drbgen replay "$scratch/traffic" --json >"$scratch/report" && cat "$scratch/report" &&
    jq -e --argjson hosts $hosts '.sent > 200 * $hosts and .received == .sent' "$scratch/report"
}

up -l 3 -d "$arity" --rate 20pps # as much as two CPUs can carry in F(3,8)
well "wiring, and pings over both protocols"
check "metrics of all switches" all_are_up
check "write" drbgen write -l 3 -d "$arity" --traffic permutation --load 0.3 --slots 1200 --slot 50ms --out "$scratch/traffic"
for ((minute = 1; minute <= minutes; minute++)); do
  check "minute $minute: nothing is lost" nothing_lost
done
check "packets are conserved" fabric check counters links
check "down" fabric down
check "nothing is left" nothing_left
echo "# $(awk '{ printf "%.2f GB", $1 / 2 ^ 30 }' "$group/$peak") at most, of $gigabytes"
finish
