#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Rounds of random faults on F(3,2): links cut, in one direction or both, lossy or flapping, interfaces deleted, switches
# killed, stopped or drained, reloads to other schemes and units, stuck clients of stats sockets, floods from a host. In
# each round it heals, connected hosts reach each other and lose nothing later than 2 s after the fault, packets are
# conserved, no switch dies, and none keeps memory, files or buffers. A seed chooses what happens, and to what kind of fabric.
#   tests/live/faults/chaos.sh [--seed N] [--seconds S]     default: seed 1, 20 s; with DRB_LONG=1 seeds 1 to 5, 240 s each
# Alone: when packets are lost is measured.
# Full: it finds by chance, and at length, what others check by purpose.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl
need_tool gcc fping jq python3

seeds=(1) seconds=20
[ -z "${DRB_LONG:-}" ] || { seeds=(1 2 3 4 5) && seconds=240; }
while [ $# -gt 1 ]; do
  case $1 in
    --seed) seeds=("$2") ;;
    --seconds) seconds=$2 ;;
    *) break ;;
  esac
  shift 2
done
[ $# = 0 ] || { echo "usage: tests/live/faults/chaos.sh [--seed N] [--seconds S]" >&2 && exit 2; }

gcc -O2 -D_GNU_SOURCE -o "$scratch/attack" "$root/tests/live/security/attack.c" || cannot_run "gcc does not compile attack.c"
programs_load() { [ "$(awk '{ print $2 }' /proc/self/uid_map)" = 0 ] && command -v clang >/dev/null; }
# Not netem: switches send past the queueing disciplines of the kernel.
if programs_load; then
  for program in one-way:1000 lossy-10:100 lossy-40:400; do
    clang -target bpf -O2 -isystem "/usr/include/$(gcc -print-multiarch)" "-DPERMILLE=${program#*:}" \
      -c "$root/tests/live/faults/gray_link.bpf.c" -o "$scratch/${program%:*}.o" || exit 1
  done
else
  skip "links that lose frames" "XDP programs cannot be compiled and loaded here"
fi

chaos() { python3 -B "$root/tests/live/faults/chaos.py" "$@"; }

# rounds SEED SECONDS [SECRET]: on a fabric of its own; what happened is in $scratch/rounds
rounds() {
  local settings status
  mapfile -t settings < <(chaos settings "$1")
  fabric up -l 3 -d 2 "${settings[@]}" >"$scratch/up" 2>&1 || { cat "$scratch/up" && return 1; }
  chaos run drb "$1" "$2" "$scratch" ${3:+"$3"} >"$scratch/rounds" 2>&1
  status=$?
  fabric down >"$scratch/down" 2>&1 || { cat "$scratch/down" && status=1; }
  [ $status = 0 ] || { cat "$scratch/rounds" && echo "to repeat it: tests/live/faults/chaos.sh --seed $1 --seconds $2"; }
  # The last line of a run that could not tell says why.
  [ $status != "$cannot_tell" ] || tail -n 1 "$scratch/rounds"
  return $status
}

finds() { # finds SECRET PATTERN: what nobody told chaos of
  rounds 1 1 "$1" && return 1
  grep -E -- "$2" "$scratch/rounds"
}

for seed in "${seeds[@]}"; do
  of_seed=$(chaos settings "$seed" | tr '\n' ' ')
  if [[ $of_seed = *af_xdp* ]] && ! programs_load; then
    skip "seed $seed" "programs cannot be loaded in a user namespace"
    continue
  fi
  decide "seed $seed, ${of_seed% }, $seconds s" rounds "$seed" "$seconds"
  sed 's/^/# /' "$scratch/rounds"
  check "seed $seed: nothing is left" nothing_left
done
check "a switch that died by itself is found" finds kill 's3-0 died'
check "a host that was cut off by itself is found" finds cut 'h3.*(lost|no answer)'
finish
