#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Breaks F(3,2) at random in rounds. Links are cut in one or both directions, lose frames or flap;
# interfaces are deleted. Switches are killed, stopped or drained, and reload other schemes and
# units. Clients of stats sockets hang, and a host floods its switch.
# In each round the fabric heals, and connected hosts reach each other. They lose nothing from 2 s
# after a fault on. Packets are conserved, no switch dies, and none keeps memory, files or buffers.
# A seed chooses the faults and the kind of fabric.
#   tests/live/faults/chaos.sh [--seed N] [--seconds S]
# The default is seed 1 for 20 s; with DRB_LONG=1, seeds 1 to 5 for 240 s each.
# Alone: the times of losses are measured.
# Full: it takes long to find by chance the faults that other stories test on purpose.
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
# XDP programs drop frames here, because switches send past netem and other queueing disciplines.
if programs_load; then
  for program in one-way:1000 lossy-10:100 lossy-40:400; do
    clang -target bpf -O2 -isystem "/usr/include/$(gcc -print-multiarch)" -DHELLOS "-DPERMILLE=${program#*:}" \
      -c "$root/topo/bpf/gray_link.bpf.c" -o "$scratch/${program%:*}.o" || exit 1
  done
else
  skip "links that lose frames" "XDP programs cannot be compiled and loaded here"
fi

chaos() { python3 -B "$root/tests/live/faults/chaos.py" "$@"; }

# rounds SEED SECONDS [SECRET]: runs rounds on a fabric of their own; $scratch/rounds has the output
rounds() {
  local settings status
  mapfile -t settings < <(chaos settings "$1")
  fabric up -l 3 -d 2 "${settings[@]}" >"$scratch/up" 2>&1 || { cat "$scratch/up" && return 1; }
  chaos run drb "$1" "$2" "$scratch" ${3:+"$3"} >"$scratch/rounds" 2>&1
  status=$?
  fabric down >"$scratch/down" 2>&1 || { cat "$scratch/down" && status=1; }
  [ $status = 0 ] || { cat "$scratch/rounds" && echo "to repeat it: tests/live/faults/chaos.sh --seed $1 --seconds $2"; }
  # If a run could not decide, its last line gives the reason.
  [ $status != "$cannot_tell" ] || tail -n 1 "$scratch/rounds"
  return $status
}

# finds SECRET PATTERN: chaos.py finds a fault that it was not informed of
finds() {
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
