#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# drbsim paper --quick by mpirun over two machines gives the figures of one process, and its journal is on one of
# them. With --long only: a build and two runs of the paper are minutes on two CPUs.
# Quiet: CPUs are busy.
# Full: it is for --long.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
if [ -z "${DRB_LONG:-}" ]; then
  skip "mpirun over two machines" "it takes minutes: --long"
  exit
fi
need drbtopo
need_tool mpirun mpicc meson ninja
# shellcheck source=tests/live/machines/machines.bash
. "$(dirname "$0")/machines.bash"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# The ordinary build has no MPI. What machines run is in the folder that they share.
check "a build with MPI" bash -c "meson setup $shared/build '$root' -Dmpi=enabled -Dtests=disabled &&
  nice ninja -C $shared/build src/sim/drbsim"
sim=$shared/build/src/sim/drbsim
printf 'machines:\n  - {name: a, address: 10.99.0.1}\n  - {name: b, address: 10.99.0.2}\n' >$scratch/machines.yaml
check "a plan for two machines" drbtopo plan --machines $scratch/machines.yaml --out $shared/plan
check "its host file" fabric export mpi $shared/plan
check "its inventory" fabric export ansible $shared/plan
machine_start a 1
machine_start b 2

check "one process" $sim paper --quick --out $shared/one
check "mpirun over two machines" on a "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun \
  --hostfile $shared/plan/hostfile -n 2 --map-by node --mca plm_rsh_args '-F $shared/ssh_config' \
  --mca btl_tcp_if_include 10.99.0.0/24 --mca oob_tcp_if_include 10.99.0.0/24 \
  bash -c 'hostname >>$shared/ranks; exec $sim paper --quick --out $shared/two'"
check "a rank on each" test "$(sort $shared/ranks | tr '\n' ' ')" = "a b "
compared=0
for file in $shared/one/*.csv; do
  case $file in */cost.csv) continue ;; esac # seconds
  check "$(basename "$file") is the same" cmp "$file" "$shared/two/$(basename "$file")"
  compared=$((compared + 1))
done
check "there are figures" test $compared -ge 8
finish
