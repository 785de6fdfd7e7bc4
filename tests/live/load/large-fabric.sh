#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# F(3,8), 320 switches and 1024 hosts, from a shell that may open 1024 files, as Debian's do: it comes up although its
# switches share a few CPUs, every pair of neighbours hears the other, packets arrive, counters are read, it goes down.
# With --long only: it takes minutes, and 10 GB.
# Alone: it takes every CPU.
if [ -z "${DRB_LONG:-}" ]; then
  echo "ok large fabric # SKIP it takes minutes and 10 GB: --long"
  exit
fi
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl drbgen
need_tool jq
[ "$(awk '/^MemAvailable:/ { print int($2 / 1048576) }' /proc/meminfo)" -ge 10 ] || cannot_run "10 GB of memory"
ulimit -Sn 1024

all_are_up() { [ "$(drbctl metrics | grep -c '^drb_up{.*} 1$')" = 320 ]; }
nothing_lost() {
  drbgen replay "$scratch/traffic" --json >"$scratch/report" && cat "$scratch/report" &&
    jq -e '.sent > 20000 and .received == .sent' "$scratch/report"
}

up -l 3 -d 8 --rate 20pps # what two CPUs can carry
well "wiring, and pings over both protocols"
check "metrics of all switches" all_are_up
check "write" drbgen write -l 3 -d 8 --traffic permutation --load 0.3 --slots 100 --slot 50ms --out "$scratch/traffic"
check "nothing is lost" nothing_lost
check "packets are conserved" fabric check counters links
check "down" fabric down
check "nothing is left" nothing_left
finish
