#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Gives a switch every order under every lasting fault; matrix_lists.py has both lists. Orders are
# reload, set, drain, captures, a memif peer, an interface, and SIGTERM. Faults are a stuck worker,
# a dead link, a full log pipe, silent clients, and a stopped neighbour.
# Quiet: times are measured.
# Full: it gives every order under every fault; test_orders.py tests orders.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl

with_every_order() { # with_every_order FAULT
  local status
  fabric up -l 2 -d 2 --workers 2 >/dev/null 2>&1 || return
  python3 -B "$root/tests/live/faults/matrix.py" run drb "$1" >"$scratch/said" 2>&1
  status=$?
  sed 's/^/# /' "$scratch/said"
  fabric down >/dev/null 2>&1
  return $status
}

late_ms=$(python3 -B "$root/tests/live/faults/matrix.py" late)
for fault in $(python3 -B "$root/tests/live/faults/matrix.py" faults); do
  decide "$fault, every order" undisturbed $late_ms with_every_order "$fault"
done
check "nothing is left" nothing_left
finish
