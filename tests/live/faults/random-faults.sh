#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Two or three links and switches above layer 1 dead at once, drawn by chance on F(3,2) and F(3,3), under fixed
# streams at load 0.2: nothing is lost later than 2 s after, nor later than 2 s after they are back.
# DRB_FAULT_SETS: how many on each fabric (default 3, with --long 20); DRB_SEED: of the draws (default 1).
# Alone: how long it takes to heal is measured.
# Full: two-faults.sh has three chosen sets, test_detour_rules.c all pairs.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl
need_tool jq python3

sets=${DRB_FAULT_SETS:-${DRB_LONG:+20}} seed=${DRB_SEED:-1}
sets=${sets:-3}
slot_ms=10 within_ms=2000 # load 0.2 on links of 250 packets/s: what is left of them carries it
plan=/run/drbswitch/drb/plan.json
every_s=5 # from a fault until it is mended, and until the next

# Longer by what a switch waited for a CPU at both ends of a link.
healed='.lost == 0 or .heal_ms <= '$within_ms' + 2 * (.late_ms + .waited_ms)'

usable_now() { [ "$(drbctl list --json | jq -s 'map(.ports_usable) | add')" = "$1" ]; }

for arity in 2 3; do
  name="F(3,$arity)"
  up -l 3 -d $arity --rate 250pps
  ports=$(jq '[.links[] | if .lower | startswith("h") then 1 else 2 end] | add' $plan)
  check "$name: $ports ports are usable" soon usable_now $ports
  mapfile -t commands < <(python3 -B "$root/tests/live/faults/random_faults.py" $plan "$sets" "$seed" "$root" "$build")
  check "$name: $sets sets of faults" test ${#commands[@]} = $((2 * sets))
  events=() at=0
  for command in "${commands[@]}"; do events+=($((at += every_s)) "$command"); done
  python3 -B "$root/tests/live/faults/heal.py" drb $((2 * arity * arity * arity)) $slot_ms $((at + every_s)) "${events[@]}" \
    >"$scratch/events" 2>"$scratch/said" || cat "$scratch/said"
  sed "s|$root/||g; s|$build/||g; s|/run/drbswitch/drb/||g; s/^/# /" "$scratch/events"
  check "$name: nothing is lost before" jq -se '.[0] | .lost == 0 and .sent > 1000' "$scratch/events"
  check "$name: nothing is lost later than $within_ms ms after any" \
    jq -se "length == 2 * $sets + 1 and all(.[1:][]; $healed)" "$scratch/events"
  check "$name: faults cost packets" jq -se '[.[].lost] | add > 0' "$scratch/events"
  jq -rs '"# '"$name"': of \(map(.sent) | add) packets \(map(.lost) | add) were lost, healed within \(map(.heal_ms) | max) ms"' \
    "$scratch/events"
  check "$name: all ports are usable again" soon usable_now $ports
  check "$name: packets are conserved" drbctl check
  check "$name: down" fabric down
done
finish
