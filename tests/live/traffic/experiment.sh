#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Live latencies equal those of the simulator for each scheme, in the short form: F(3,2) at load
# 0.9. A run that the machine disturbed is repeated, with slots of 2, 4 and 8 ms. A run has failed
# if it was late and a control process beside it was not. The long form gives a table in docs/notes:
#   drblab experiment --check --out DIR -d 4 --load 0.9
# Alone: latencies of packets are compared with the simulator's.
# Full: it measures for minutes; test_lab_experiment.py compares stored runs.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbgen drbsim
need_tool jq
export TMPDIR=$scratch

experiment() { "$root/lab/run" experiment "$@"; }
clean() { nothing_left && [ -z "$(find "$scratch" -maxdepth 1 -name 'drb-points-*')" ]; }

repeated() { # repeated FOLDER: runs of an experiment that do not count, with what disturbed them
  python3 - "$1/runs.csv" <<'END'
import csv, sys
with open(sys.argv[1], encoding='utf-8') as f:
    for run in csv.DictReader(f):
        if run['discarded']:
            print('# AGAIN {scheme}, seed {seed}: {discarded}; in the run that counts, a control was late in '
                  '{share:.1%} of the slots'.format(**run, share=float(run['control_late'])))
END
}

interrupted_while() { # interrupted_while SIGNAL CONDITION: it gets the signal then, and ends
  "$root/lab/run" experiment --load 0.9 --slots 10000 --out "$scratch/cut" >"$scratch/said" 2>&1 &
  local pid=$!
  soon eval "$2" >/dev/null || { echo "never saw: $2" && cat "$scratch/said" && return 1; }
  kill "-$1" $pid
  SECONDS=0
  wait $pid
  local status=$?
  echo "exit status $status after $SECONDS s: $(cat "$scratch/said")"
  [ $status -gt 128 ] && [ $SECONDS -lt 15 ] && [ "$(wc -l <"$scratch/said")" = 1 ] &&
    grep -q 'of 12 points are done, kept in .*/cut/rows.jsonl: run it again to go on' "$scratch/said"
}

check "interrupted while it replays" interrupted_while TERM 'pgrep -x drbgen && pgrep -x drbswitch'
check "nothing is left then" clean
check "interrupted while switches start" interrupted_while HUP 'pgrep -x drbswitch'
check "nothing is left then" clean
check "no report of half an experiment" test ! -e "$scratch/cut/report.html"
check "an unknown scheme" fails_with 2 'best' experiment --scheme best --out "$scratch/x"
check "an unknown traffic" fails_with 2 'rush' experiment --traffic rush --out "$scratch/x"
check "a fabric of that name that is up is refused" bash -c "
  '$root/topo/fabric' up -l 2 -d 1 --fabric experiment && ! '$root/lab/run' experiment --slots 100 \
    --runs 1 --out '$scratch/x' 2>&1 | tee /dev/stderr | grep -q Traceback &&
  '$root/topo/fabric' check wiring --fabric experiment && '$root/topo/fabric' down --fabric experiment"

# Short runs scatter by a per cent or two, which three of them tell.
loads=0.9 slots=600 schemes=drb,micro,dmodk,vlb
[ -z "${DRB_LONG:-}" ] || loads=0.6,0.8,0.9,0.95 slots=2000
experiment --scheme $schemes --load $loads --runs 3 --slots $slots --repeat 1 --stretch 2 --json --out "$scratch/report" >"$scratch/rows"
check "an experiment" test $? -le 1 # 1: packets were lost, which is looked at below
repeated "$scratch/report"
row_says() { # row_says SCHEME FILTER: every row of it
  jq -es "map(select(.scheme == \"$1\")) | length > 0 and all(.[]; $2)" "$scratch/rows"
}
was_disturbed() { row_says "$1" true >/dev/null && ! row_says "$1" '.disturbed == 0' >/dev/null; }
# within SCHEME: its rows are as simulated. Prints them otherwise.
within() {
  row_says "$1" '[.growing, .sim_growing] == [false, false] and .within and .unexplained == 0' ||
    { jq -c "select(.scheme == \"$1\")" "$scratch/rows" && return 1; }
}
agree() { # agree WORDS SCHEME...: what the rows say of these schemes
  local words=$1 scheme
  shift
  for scheme in "$@"; do
    jq -r "select(.scheme == \"$scheme\") | \"# $scheme$words: mean \(.latency) simulated \(.sim_latency), \" +
      \"tail \(.tail) simulated \(.sim_tail), redirected \(.redirected) simulated \(.sim_redirected)\"" \
      "$scratch/rows"
    if was_disturbed "$scheme"; then
      undecided "$scheme$words: live is simulated" "no run was undisturbed, not with slots of 8 ms either"
    else
      check "$scheme$words: nothing is lost" row_says "$scheme" '.lost == 0'
      check "$scheme$words: live is simulated" within "$scheme"
    fi
  done
}
agree "" ${schemes//,/ }
check "the report is one file" sh -c "test -s '$scratch/report/report.html' &&
  ! grep -oE '(src|href)=\"[^d]' '$scratch/report/report.html'"
check "runs.csv has every run" sh -c "test \$(wc -l <'$scratch/report/runs.csv') -gt $((3 * $(wc -w <<<"${schemes//,/ }")))"

# The table is large enough for all flowlets. Flowlets that collide share an uplink, and other
# flowlets collide live than in the simulator. The idle time equals no pause, because chance would
# decide which of the two is longer. In 1000 slots, the tail of flowlets differs by 6 % between
# seeds; in 2000 slots, by 4 %.
packets=ars:idle_time=0 flowlets=ars:idle_time=20.5:max_flows=65536
experiment --scheme $packets,$flowlets --load 0.8 --runs 3 --slots 2000 --repeat 1 --stretch 2 --json \
  --out "$scratch/ars" >"$scratch/rows"
check "an experiment with adaptive routing" test $? -le 1 # 1: packets were lost, which is looked at below
repeated "$scratch/ars"
agree "" $packets $flowlets
check "packets that are decided alone overtake" row_says $packets '.reordered_share > 0.01'
check "those of a flowlet do not" row_says $flowlets '.reordered_share < 0.001'

# Six of 32 links take two slots for a packet.
experiment --slow link:6:2 --scheme drb,dmodk --load 0.4 --runs 2 --slots 600 --repeat 1 --stretch 2 --json \
  --out "$scratch/slow" >"$scratch/rows"
check "an experiment with slow links" test $? -le 1 # 1: packets were lost, which is looked at below
repeated "$scratch/slow"
agree ", slow links" drb dmodk
check "they make it slower" row_says dmodk '.latency > 6.5'

# Three of 32 links are dead; before the second run they are mended, and others cut.
experiment --fail link:3 --scheme drb,dmodk --load 0.3 --runs 2 --slots 1000 --repeat 1 --stretch 2 --json \
  --out "$scratch/dead" >"$scratch/rows"
check "an experiment with dead links" test $? -le 1 # 1: packets were lost, which is looked at below
repeated "$scratch/dead"
agree ", dead links" drb dmodk

# Faults come while packets come. Packets are lost until hellos are missed, and on the gray link.
gray='1200 gray s1-0.u0'
takes_program() { ip link set dev lo xdpgeneric obj "$DRB_BUILD/topo/gray_link.bpf.o" sec xdp && ip link set dev lo xdpgeneric off; }
takes_program || { skip "a gray link" "XDP programs cannot be loaded here" && gray='# none'; }
printf '%s\n' '400 cut s1-0.u1' '1000 mend s1-0.u1' "$gray" '1300 kill s2-4' >"$scratch/faults"
# lost SCHEME: the simulator loses as many packets, within 10 %. Live, 100 slots follow.
lost() {
  drbsim packet -l 3 -d 2 --faults "$scratch/faults" --detect 75 --traffic fixed --scheme "$1" --load 0.4 \
    --threshold paper --slots 2100 --json |
    jq -es --slurpfile rows "$scratch/rows" "(.[0] | .lost_on_links + .lost_in_switches) as \$simulated |
      (\$rows[] | select(.scheme == \"$1\") | .lost) as \$live |
      \"# $1: \(\$live) packets lost live, \(\$simulated) simulated\",
      (\$live - \$simulated | fabs) <= 0.1 * \$simulated"
}
experiment --faults "$scratch/faults" --traffic fixed --scheme drb,dmodk --load 0.4 --runs 1 --slots 2000 --repeat 1 \
  --stretch 2 --json --out "$scratch/timed" >"$scratch/rows"
check "an experiment in which a link is cut" test $? -le 1 # 1: packets were lost
repeated "$scratch/timed"
for scheme in drb dmodk; do
  jq -r "select(.scheme == \"$scheme\") | \"# $scheme, cut and mended: mean \(.latency) simulated \(.sim_latency), lost \(.lost)\"" \
    "$scratch/rows"
  if was_disturbed $scheme; then
    undecided "$scheme, cut and mended: live is simulated" "no run was undisturbed, not with slots of 8 ms either"
  else
    check "$scheme, cut and mended: live is simulated" within $scheme
    check "$scheme, cut and mended: as many are lost" lost $scheme
  fi
done

printf '%s 2\n' '200 slow s1-0.u1' '250 slow s1-2.u1' '300 slow s1-4.u1' '350 slow s1-6.u1' >"$scratch/faults"
experiment --faults "$scratch/faults" --scheme drb,dmodk --load 0.4 --runs 2 --slots 1000 --repeat 1 --stretch 2 --json \
  --out "$scratch/slower" >"$scratch/rows"
check "an experiment in which links become slow" test $? -le 1 # 1: packets were lost, which is looked at below
repeated "$scratch/slower"
agree ", links become slow" drb dmodk
check "their packets wait" row_says dmodk '.sim_latency > 6.7 and .latency > 6.7' # 5.8 without faults

# Links between switches take three more slots.
experiment --delay 3 --scheme drb,dmodk --load 0.8 --runs 2 --slots 600 --repeat 1 --stretch 2 --json \
  --out "$scratch/delay" >"$scratch/rows"
check "an experiment with long links" test $? -le 1 # 1: packets were lost, which is looked at below
repeated "$scratch/delay"
agree ", long links" drb dmodk
check "they take longer" row_says dmodk '.latency > 15'

# A permutation that persists: drb's queues grow, live as well as simulated, those of walk do not.
experiment --traffic fixed --scheme drb,walk --load 0.9 --runs 1 --slots 800 --repeat 1 --stretch 2 --json \
  --out "$scratch/fixed" >"$scratch/rows"
check "an experiment with traffic that persists" test $? -le 1 # 1: packets were lost, which is looked at below
repeated "$scratch/fixed"
for case in drb:true walk:false; do
  scheme=${case%:*}
  jq -r "select(.scheme == \"$scheme\") | \"# $scheme: mean \(.latency) simulated \(.sim_latency)\"" \
    "$scratch/rows"
  if was_disturbed $scheme; then
    undecided "$scheme: queues that grow: ${case#*:}" "no run was undisturbed, not with slots of 8 ms either"
  else
    check "$scheme: queues that grow: ${case#*:}" \
      row_says $scheme "[.lost, .growing, .sim_growing, .unexplained] == [0, ${case#*:}, ${case#*:}, 0]"
  fi
done

for traffic in permutation fixed racks:0.5 oneway:0.5:0; do
  experiment --traffic $traffic --scheme walk --load 0.9 --runs 1 --slots 2000 --warmup 1000 --repeat 1 --stretch 2 \
    --json --out "$scratch/walk-$traffic" >"$scratch/rows"
  check "an experiment with $traffic" test $? -le 1 # 1: packets were lost, which is looked at below
  repeated "$scratch/walk-$traffic"
  jq -r --arg traffic $traffic '"# walk, \($traffic): mean \(.latency) simulated \(.sim_latency)"' "$scratch/rows"
  if was_disturbed walk; then
    undecided "walk, $traffic: live is simulated to 5 %" "no run was undisturbed, not with slots of 8 ms either"
  else
    check "walk, $traffic: live is simulated to 5 %" row_says walk \
      '[.lost, .growing, .sim_growing, .unexplained] == [0, false, false, 0] and (.latency / .sim_latency - 1 | fabs) < 0.05'
  fi
done
# In a study of one's own: points of the laboratory.
study() { /usr/bin/python3 -B "$root/tests/live/traffic/live_points.py" "$root/lab" "$scratch/rows.jsonl"; }
decide "points of the laboratory: live is simulated to 5 %" study
check "they are measured once" jq -se 'length == 8 and all(.[]; .engine == "live")' "$scratch/rows.jsonl"
point='{"id": "x", "layers": 2, "scheme": "drb", "load": 0.5, "slots": 200, "stats": 100}'
measures() { printf '%s\n' "$@" | "$root/topo/fabric" run --repeat 0 --stretch 0 >"$scratch/row"; }
check "a point of standard input" measures "$point"
check "has a row" jq -e '.id == "x" and .latency > 3 and .lost == 0 and .attempts == 1' "$scratch/row"
check "a wrong one is named before any runs" \
  fails_with 2 'standard input:2: loat: a fabric takes ' measures "$point" '{"loat": 0.5}'
check "no row of others" test ! -s "$scratch/row"
check "nothing is left" clean
finish
