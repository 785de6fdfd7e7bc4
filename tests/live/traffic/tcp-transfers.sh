#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# TCP plays all transfers that drbsim draws, and the steps of a job one after another. Live
# completion times are within 15 % of the simulator's, by the whole interval that drblab tcp
# reports.
# Alone: completion times are compared with the simulator's.
# Full: experiment.sh compares packets of the same fabric with the simulator.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbsim
need_tool jq
need_tool tc
export TMPDIR=$scratch

"$root/lab/run" tcp fixed:50,pipeline:2 --data 32 --scheme dmodk --unit flow --load 0.2 --slots 300 --slot 4ms --runs 4 \
  --repeat 1 --json --out "$scratch/report" >"$scratch/rows"
check "an experiment with TCP" test $? = 0
jq -r '"# \(.workload): live \(.time) simulated \(.sim_time) slots, off \(.time_off) +- \(.time_off_interval): \(.verdict)"' \
  "$scratch/rows"
row_says() { # row_says WORKLOAD FILTER
  jq -es "map(select(.workload == \"$1\")) | length == 1 and (.[0] | $2)" "$scratch/rows"
}
for workload in fixed:50-0.2 pipeline:2; do
  check "$workload: all arrive" row_says $workload '.transfers > 0 and .unfinished == 0'
  # No transfer is faster than its links.
  check "$workload: links have their rate" row_says $workload '.slowdown > 0.99 and .makespan > 0'
  check "$workload: handshakes are simulated" row_says $workload '.handshake > 0 and .sim_handshake > 0'
done
for workload in fixed:50-0.2 pipeline:2; do
  if row_says $workload '.verdict != "within" and .disturbed > .unexplained' >/dev/null; then
    undecided "$workload: live is simulated" "the machine disturbed a run"
  else
    check "$workload: live is simulated" row_says $workload '.verdict == "within"'
  fi
done
# A rank of a pipeline sends a part once it has arrived, so no transfer begins before its
# predecessor ends.
drbsim job --job pipeline:2 --data 32 --seed 1 --list >"$scratch/list"
check "steps wait for one another" python3 - "$scratch/list" "$scratch/report/transfers.csv" <<'PY'
import csv, sys
rows = [list(csv.DictReader(open(path, encoding='utf-8'))) for path in sys.argv[1:]]
played = [row for row in rows[1] if row['workload'] == 'pipeline:2' and row['seed'] == '1']
assert len(played) == len(rows[0]) > 15, len(played)
waiting = 0
for listed, row in zip(rows[0], played):
    if listed['after_arrived']:
        before = played[int(listed['after_arrived'])]
        # The time includes a slot of the host's own link.
        assert float(row['start']) >= float(before['start']) + float(before['time']) - 1, (listed, row, before)
        waiting += 1
assert waiting > 10, waiting
PY
check "the report is one file" sh -c "test -s '$scratch/report/report.html' && test -s '$scratch/report/summary.json' &&
  ! grep -oE '(src|href)=\"[^d]' '$scratch/report/report.html'"
check "nothing is left" nothing_left
finish
