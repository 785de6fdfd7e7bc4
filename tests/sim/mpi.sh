#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Two ranks give the figures of one process. Needs a build with -Dmpi=enabled and mpirun.
#   tests/sim/mpi.sh DRBSIM
set -euo pipefail

sim=$1
command -v mpirun >/dev/null || exit 77
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

same_for_two_ranks() {
  "$sim" "$@" --csv >"$dir/one"
  mpirun --oversubscribe -n 2 "$sim" "$@" --csv >"$dir/two"
  cmp "$dir/one" "$dir/two"
}

same_for_two_ranks packet -d 6 --scheme all --load 0.5,0.9 --slots 300 --stats 100
same_for_two_ranks flow -d 6 --scheme all --flows 1-5 --runs 7
same_for_two_ranks ctmc --queues 50 --time 100
