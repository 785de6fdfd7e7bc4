#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Two links are dead at once: every pair of hosts still answers. A sample, drawn anew by SEED; all pairs of
# links are in tests/unit/core/test_detour_rules.c.
# Full: test_detour_rules.c has all pairs of links.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl
need_tool jq python3

seed=${SEED:-1} samples=${SAMPLES:-${DRB_LONG:+30}}
samples=${samples:-6}

# Pairs of links, by their lower ends: "s1-0 u0 s2-3 u1". Both uplinks of a switch of layer 1 are all
# that its hosts have: they would be cut off.
draw() {
  drbtopo list links -l 3 -d 2 --csv | python3 -c '
import csv, random, sys
ends = [(row[0], row[1]) for row in csv.reader(sys.stdin) if row[0].startswith("s")]
pairs = [(a, b) for a in ends for b in ends if a < b and not (a[0] == b[0] and a[0].startswith("s1-"))]
random.seed(int(sys.argv[1]))
for a, b in random.sample(pairs, int(sys.argv[2])):
    print(*a, *b)' "$seed" "$samples"
}

carriers() { # carriers up|down SWITCH PORT SWITCH PORT
  ip -n "drb-$2" link set "$3" "$1" && ip -n "drb-$4" link set "$5" "$1"
}

usable() { # usable COUNT: so many ports of all switches are
  [ "$(drbctl list --json | jq -s 'map(.ports_usable) | add')" = "$1" ] || { drbctl list && false; }
}

up -l 3 -d 2
check "80 ports are usable" soon usable 80
draw >"$scratch/pairs"
check "pairs were drawn" test "$(wc -l <"$scratch/pairs")" = "$samples"
while read -r -a pair; do
  name="${pair[0]}.${pair[1]} and ${pair[2]}.${pair[3]}"
  check "$name die" carriers down "${pair[@]}"
  check "$name: both ends of both know" soon usable 76
  check "$name: every pair of hosts" fabric check ping
  check "$name are back" carriers up "${pair[@]}"
  check "$name: all ports are usable" soon usable 80
done <"$scratch/pairs"
check "packets are conserved" drbctl check
check "down" fabric down
finish
