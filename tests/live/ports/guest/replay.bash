# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154 # what story.bash and guest.bash set
# Sourced by cards.sh: a permutation over a fabric of which one switch is in the guest, next to the simulator's.
#
# All links are slow: a packet takes a slot of some ms, by a clock that the switches of a machine share. The guest has
# another. Its slots are to begin in the middle of those of the others, which is as far from a mistake as can be: so
# much may a packet be late on its way in and out. after_replay.py makes up for the half slots.

# With the paper's T for this load a packet in 200 is redirected, which is too few to compare; with 0 it is one in 6, and
# a load that is wrong by a single packet shows.
replay_load=0.9 replay_threshold=0
replay_slots=1200 replay_slot=5000000 # or some ns longer, which moves the guest's slots by far more

drbsim() { "$build/src/sim/drbsim" "$@"; }

# By how much the guest's clock is behind, in ns, at least and at most: in $scratch/behind. Where looks take long, nobody can tell.
replay_behind() {
  local guest status least most
  rm -f "$share"/tick*
  guest "python3 -B tests/live/ports/guest/clock.py guest /run/share" >"$scratch/clock" 2>&1 &
  guest=$!
  python3 -B "$root/tests/live/ports/guest/clock.py" host "$share" >"$scratch/behind" 2>"$scratch/clock-host"
  wait $guest
  status=$?
  cat "$scratch/clock" "$scratch/clock-host"
  read -r least most <"$scratch/behind" && [ $status = 0 ] && [ -n "$most" ] || return 1
  echo "the guest's clock is behind by $least to $most ns"
  [ $((most - least)) -lt $((replay_slot / 3)) ] || return "$cannot_tell"
}

# The slot, near $replay_slot, in whose middle the guest's slots begin, is in $scratch/slot then.
replay_align() {
  replay_behind || return
  python3 -c "
least, most = map(int, open('$scratch/behind').read().split())
behind, about = (least + most) // 2, $replay_slot
print(min(range(about, about + 2000), key=lambda slot: abs(behind % slot - slot // 2)))" >"$scratch/slot"
}

# They still begin there, to within a sixth of a slot: an emulated clock may drift or jump.
replay_in_step() {
  replay_behind && python3 -c "
least, most = map(int, open('$scratch/behind').read().split())
phase = (least + most) // 2 % $replay_slot
print(f'its slots begin {phase} ns after those of the others, which take $replay_slot ns')
raise SystemExit(abs(phase - $replay_slot // 2) > $replay_slot // 6)"
}

replay_rate() { python3 -c "print(f'{1e9 / $replay_slot:.15g}pps')"; }

# The fabric's other switches have such links from now on; nobody stands in for the guest's.
replay_fabric() {
  fabric replan --rate "$(replay_rate)" --slotted --catchup "${replay_slot}ns" --threshold $replay_threshold &&
    fabric stop s1-0
}

replay_counters() {
  { drbctl show --all routing --json && ctl show s1-0 routing --json; } >"$1" && ctl show s1-0 worker --json >"$1-worker"
}

# Link time that is gone because a switch, the guest's included, got no CPU for longer than `catchup` makes up for, in
# slots of one link. At this load a link works off what a slot left behind in ten.
replay_lost() {
  jq -n --slurpfile report "$scratch/report" --slurpfile before "$scratch/before-worker" --slurpfile after "$scratch/after-worker" \
    "(\$report[0].lost_credit_ns + \$after[0].lost_credit_ns - \$before[0].lost_credit_ns) / $replay_slot"
}

replay_once() { # replay_once SEED
  drbgen write -l 2 -d 2 --traffic permutation --load $replay_load --slots $replay_slots --slot "${replay_slot}ns" \
    --seed "$1" --out "$scratch/permutation" &&
    drbsim packet -l 2 -d 2 --scheme drb --traffic permutation --load $replay_load --threshold $replay_threshold \
      --slots $replay_slots --stats $replay_slots --seed "$1" --json >"$scratch/simulated" &&
    replay_counters "$scratch/before" &&
    { drbgen replay "$scratch/permutation" --records "$scratch/records" --json >"$scratch/report" || [ $? = 1 ]; } && # 1: see .lost
    replay_counters "$scratch/after" &&
    python3 -B "$root/tests/live/ports/guest/after_replay.py" "$scratch" "$replay_slot" h0 h1 >"$scratch/replayed"
}

# Mean latency and redirected share within 10 % of the simulator's, and that of the guest, which has a fourth of the packets,
# within 20 %.
replay_holds() { # replay_holds SEED
  replay_once "$1" || return
  cat "$scratch/replayed" "$scratch/report"
  ctl show s1-0 worker --json
  jq -e 'def near($want; $by): (. / $want - 1) | fabs < $by;
    . as $r | .lost == 0 and (.latency | near($r.sim_latency; 0.1)) and
    (.redirected | near($r.sim_redirected; 0.1)) and (.redirected_guest | near($r.sim_redirected; 0.2))' "$scratch/replayed"
}

# The same, of clocks that stay as they are known, and links that have their time: 36 slots that they lost made the mean latency
# 5 % longer (tests/README.md), and waits that cost them may each be too short for `undisturbed`.
replay_decides() { # replay_decides SEED
  local status lost
  undisturbed 10 replay_holds "$1" && return
  status=$?
  [ $status = 1 ] || return $status
  replay_in_step || return "$cannot_tell"
  lost=$(replay_lost) && echo "links lost $lost slots" || return 1
  jq -ne "$lost < 20" >/dev/null || return "$cannot_tell"
  return 1
}
