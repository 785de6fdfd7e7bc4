#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Live latencies are those of the simulator, scheme by scheme, in the short form: F(3,2) at load 0.9.
# A figure that the machine disturbed, however often it was measured, is skipped and says so. The
# long form, a table in topo/README.md: topo/experiment --check --out DIR, with -d 4 --load 0.9.
# Alone: latencies of packets are compared with the simulator's.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/story.bash"
need drbtopo drbswitch drbgen drbsim
need_tool jq
export TMPDIR=$scratch

experiment() { "$root/topo/experiment" "$@"; }
clean() { nothing_left && [ -z "$(find "$scratch" -maxdepth 1 -name 'drb-experiment-*')" ]; }

interrupted_while() { # interrupted_while SIGNAL CONDITION: it gets the signal then, and ends
  "$root/topo/experiment" --load 0.9 --slots 10000 --out "$scratch/cut" >"$scratch/said" 2>&1 &
  local pid=$!
  soon eval "$2" >/dev/null || { echo "never saw: $2" && cat "$scratch/said" && return 1; }
  kill "-$1" $pid
  SECONDS=0
  wait $pid
  local status=$?
  echo "exit status $status after $SECONDS s: $(cat "$scratch/said")"
  [ $status = 1 ] && [ $SECONDS -lt 15 ] && [ "$(wc -l <"$scratch/said")" = 1 ]
}

check "interrupted while it replays" interrupted_while TERM 'pgrep -x drbgen && pgrep -x drbswitch'
check "nothing is left then" clean
check "interrupted while switches start" interrupted_while HUP 'pgrep -x drbswitch'
check "nothing is left then" clean
check "no report of half an experiment" test ! -e "$scratch/cut"
check "an unknown scheme" fails_with 2 'best' experiment --scheme best --out "$scratch/x"
check "an unknown traffic" fails_with 2 'rush' experiment --traffic rush --out "$scratch/x"
check "a fabric of that name that is up is refused" bash -c "
  '$root/topo/fabric' up -l 2 -d 1 --name experiment && ! '$root/topo/experiment' --slots 100 \
    --runs 1 --out '$scratch/x' 2>&1 | tee /dev/stderr | grep -q Traceback &&
  '$root/topo/fabric' check wiring --name experiment && '$root/topo/fabric' down --name experiment"

# Two short runs scatter by a per cent or two: figures beyond the bounds are measured once more.
for _ in 1 2; do
  rm -rf "$scratch/report"
  experiment --load 0.9 --runs 2 --slots 800 --repeat 1 --json --out "$scratch/report" >"$scratch/rows"
  status=$?
  if jq -es 'all(.[]; .disturbed > 0 or .within)' "$scratch/rows" >/dev/null; then break; fi
done
check "an experiment" test $status -le 1 # 1: packets were lost, which is looked at below
row_says() { # row_says SCHEME FILTER
  jq -es "map(select(.scheme == \"$1\"))[0] | $2" "$scratch/rows"
}
within() { row_says "$1" '[.growing, .sim_growing] == [false, false] and .within'; }
for scheme in drb micro dmodk vlb; do
  jq -r "select(.scheme == \"$scheme\") | \"# $scheme: mean \(.latency) simulated \(.sim_latency), \" +
    \"tail \(.tail) simulated \(.sim_tail), redirected \(.redirected) simulated \(.sim_redirected)\"" \
    "$scratch/rows"
  if row_says $scheme '.disturbed > 0' >/dev/null; then
    skip "$scheme: live is simulated" "the machine cannot keep time now"
  else
    check "$scheme: nothing is lost" row_says $scheme '.lost == 0'
    check "$scheme: live is simulated" within $scheme
  fi
done
check "the report is one file" sh -c "test -s '$scratch/report/report.html' &&
  ! grep -oE '(src|href)=\"[^d]' '$scratch/report/report.html'"
check "runs.csv has every run" sh -c "test \$(wc -l <'$scratch/report/runs.csv') -ge 9"

# A permutation that persists: drb's queues grow, live as well as simulated, those of walk do not.
experiment --traffic fixed --scheme drb,walk --load 0.9 --runs 1 --slots 800 --repeat 1 --json \
  --out "$scratch/fixed" >"$scratch/rows"
check "an experiment with traffic that persists" test $? -le 1 # 1: packets were lost, which is looked at below
for case in drb:true walk:false; do
  scheme=${case%:*}
  jq -r "select(.scheme == \"$scheme\") | \"# $scheme: mean \(.latency) simulated \(.sim_latency)\"" \
    "$scratch/rows"
  if row_says $scheme '.disturbed > 0' >/dev/null; then
    skip "$scheme: queues that grow: ${case#*:}" "the machine cannot keep time now"
  else
    check "$scheme: queues that grow: ${case#*:}" \
      row_says $scheme "[.lost, .growing, .sim_growing] == [0, ${case#*:}, ${case#*:}]"
  fi
done
check "nothing is left" clean
finish
