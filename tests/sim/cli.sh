#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# drbsim like its users call it: the same figures with any number of threads, one clear line for bad
# input.
#   tests/sim/cli.sh DRBSIM
set -euo pipefail

sim=$1
failed=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'echo "not ok: line $LINENO: $BASH_COMMAND"' ERR

same_for_any_threads() {
  "$sim" "$@" --csv -j 1 >"$dir/one"
  "$sim" "$@" --csv -j 3 >"$dir/three"
  if ! cmp "$dir/one" "$dir/three"; then
    echo "not ok: $* depends on the number of threads"
    failed=1
  fi
}

# Every row has a value for each column; readers use the columns' names.
whole_rows() {
  "$sim" "$@" --csv >"$dir/rows"
  "$sim" "$@" --json >"$dir/objects"
  if [ "$(awk -F, '{print NF}' "$dir/rows" | sort -u | wc -l)" != 1 ] || grep -q '"[a-z_]*":$' "$dir/objects" ||
    [ "$(grep -c '^{"scheme":"[a-z]*",.*}$' "$dir/objects")" != "$(($(wc -l <"$dir/rows") - 1))" ]; then
    echo "not ok: rows of $*: $(cat "$dir/rows")"
    failed=1
  fi
}
whole_rows packet --scheme drb,dmodk --load 0.5 --slots 100 --stats 50 --detail
whole_rows packet --scheme drb,dmodk --load 0.5 --slots 100 --stats 50 --runs 3
whole_rows packet --scheme drb,dmodk --load 0.5 --slots 100 --stats 50 --links
whole_rows packet --scheme drb,dmodk --load 0.5 --slots 100 # fewer than the 500 that are measured
whole_rows transfer -d 2 --slots 200 --warmup 0 --links
whole_rows job -d 2 --job incast --data 20 --runs 1 --links
whole_rows transfer --scheme drb,walk --slots 500 --warmup 10
whole_rows transfer --scheme drb,walk --slots 500 --warmup 10 --runs 3
whole_rows packet --scheme drb,dmodk --load 0.4 --slots 100 --stats 50 --detail --uplinks 1
whole_rows transfer --scheme drb,walk --slots 500 --warmup 10 --load 0.2 -d 4 --uplinks 2
whole_rows job --scheme drb,vlb --data 16
"$sim" job --job pipeline:3 --data 30 --list >"$dir/list"
whole_rows replay "$dir/list" --scheme drb,vlb
whole_rows replay "$dir/list" --scheme drb,vlb --uplinks 1
for format in htsim goal; do
  whole_rows replay "${BASH_SOURCE[0]%/*}/../fuzz/corpus/list/$format" --scheme drb,vlb --packet 1500 --slot 120
done

# Asking for all uplinks has no effect. Fewer uplinks add a column, and thresholds depend only on
# the load of the uplinks.
for verb in "packet --load 0.4 --slots 100 --stats 50" "flow --runs 2" "job --data 16 --runs 1" "transfer --load 0.2 --slots 500 --warmup 10"; do
  # shellcheck disable=SC2086 # words
  "$sim" $verb --csv >"$dir/all"
  # shellcheck disable=SC2086
  "$sim" $verb --csv --uplinks 2 | cmp - "$dir/all" || { echo "not ok: $verb --uplinks 2" && failed=1; }
  # shellcheck disable=SC2086
  "$sim" $verb --csv --uplinks 1 | awk -F, -v was="$(head -n 1 "$dir/all")" '
    NR == 1 && $0 != was ",uplinks" || NR > 1 && $NF != 1 { exit 1 }' || { echo "not ok: $verb --uplinks 1" && failed=1; }
done
# value KEY: of the first row
value() { awk -F, -v key="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR == 2 { print $at[key] }'; }
t_at() { "$sim" packet --load "$1" --slots 20 --stats 10 --csv --uplinks "$2" | value threshold; }
if [ "$(t_at 0.4 1)" != "$(t_at 0.8 2)" ]; then
  echo "not ok: T at load 0.4 of 1 uplink for 2 hosts: $(t_at 0.4 1)"
  failed=1
fi

# A job's list, replayed, takes as long as the job, also if hosts split transfers.
of_list() { # of_list WORDS...: slots until all transfers of the list are over
  "$sim" replay "$dir/list" --scheme ecmp --csv "$@" | awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { end = $at["start"] + $at["time"]; most = end > most ? end : most } END { print most }'
}
for kind in all-to-all all-reduce-halving; do
  words=(--job "$kind" --data 640 --place label)
  "$sim" job "${words[@]}" --list >"$dir/list"
  for source in open window; do
    job=$("$sim" job "${words[@]}" --scheme ecmp --hosts ethereal --source $source --runs 1 --csv | value makespan_mean)
    if [ "$(of_list --hosts ethereal --source $source)" != "$job" ] || [ "$(of_list --source $source)" = "$job" ]; then
      echo "not ok: $kind by Ethereal takes $job slots, its list $(of_list --hosts ethereal --source $source)"
      failed=1
    fi
  done
done

# Figures of several runs are the means of the figures with each seed. The interval is Student's,
# 4.303 with three runs.
runs_are_their_mean() { # runs_are_their_mean MEAN HALF VERB WORDS...: columns
  local mean=$1 half=$2
  shift 2
  "$sim" "$@" --seed 4 --runs 3 --csv >"$dir/three"
  for seed in 4 5 6; do
    "$sim" "$@" --seed $seed --runs 1 --csv | value "$mean"
  done | awk -v mean="$(value "$mean" <"$dir/three")" -v half="$(value "$half" <"$dir/three")" '
    function differs(a, b) { return (a - b) ^ 2 > (1e-6 * b) ^ 2 }
    { sum += $1; squares += $1 * $1 }
    END {
      want = sum / NR
      width = 4.303 * sqrt((squares - NR * want * want) / (NR - 1) / NR)
      exit NR != 3 || width <= 0 || differs(mean, want) || differs(half, width)
    }' || { echo "not ok: $mean of $*: $(cat "$dir/three")" && failed=1; }
}
runs_are_their_mean slowdown_mean slowdown_half transfer --scheme drb --load 0.5 --slots 3000 --warmup 100
runs_are_their_mean time_mean time_half transfer --scheme drb --load 0.5 --slots 3000 --warmup 100
runs_are_their_mean makespan_mean makespan_half job --scheme drb --job all-to-all --data 64
runs_are_their_mean latency latency_half packet --load 0.9 --slots 300 --stats 200
runs_are_their_mean tail tail_half packet --load 0.9 --slots 300 --stats 200 --detail

# A terminal of 80 columns shows the results; only settings are left out.
shows() { # shows TITLES VERB WORDS...
  local titles=$1
  shift
  script -qec "stty cols 80; '$sim' $* 2>/dev/null" /dev/null >"$dir/shown"
  head -n 1 "$dir/shown" | grep -qE "^scheme .*$titles" || { echo "not ok: $* shows $(cat "$dir/shown")" && failed=1; }
}
if command -v script >/dev/null; then
  shows 'slowdown +slowdown +slowdown +time' transfer --slots 500 --warmup 10
  shows 'makespan +makespan +slowdown +slowdown +broken' job --data 16
  shows 'latency +tail .*throughput +growing' packet --scheme all --load 0.9 --slots 300 --stats 200
  shows 'start .*slowdown' replay "$dir/list"
else
  echo "skipped: tables of 80 columns: script is not installed"
fi

# refused WORD ARGUMENTS...: exit code 2, and one line that contains WORD
refused() {
  local word=$1 code=0
  shift
  "$sim" "$@" >"$dir/out" 2>"$dir/err" || code=$?
  if [ $code != 2 ] || [ "$(wc -l <"$dir/err")" != 1 ] || [ -s "$dir/out" ] ||
    ! grep -q -- "$word" "$dir/err"; then
    echo "not ok: $* gave exit code $code and: $(cat "$dir/err")"
    failed=1
  fi
}

same_for_any_threads packet -d 6 --scheme all --load 0.5,0.9 --slots 300 --stats 100
same_for_any_threads packet -d 6 --scheme all --load 0.9 --slots 300 --stats 100 --traffic mixed
same_for_any_threads packet -d 6 --scheme all --load 0.9 --slots 300 --stats 100 --detail
same_for_any_threads packet -d 4 --scheme drb,walk --load 0.8,0.9 --slots 300 --stats 100 --detail --runs 3
same_for_any_threads packet -d 4 --scheme drb,walk --load 0.8,0.9 --slots 300 --stats 100 --links
# Threads share one run.
same_for_any_threads packet -d 13 --scheme walk --load 0.9 --slots 20 --stats 15 --fail link:9 --detail
same_for_any_threads flow -d 6 --scheme all --flows 1-5 --runs 7
same_for_any_threads transfer --scheme all --load 0.3,0.6 --slots 3000 --warmup 500
same_for_any_threads transfer --scheme drb,least --unit flowlet --sizes fixed:50 --queue 20 --slots 2000 --warmup 100
same_for_any_threads job --scheme all --runs 3 --data 160
same_for_any_threads job --scheme ecmp --hosts ethereal --source window --runs 3 --data 160
same_for_any_threads transfer --scheme all --source window --queue 40 --slots 3000 --warmup 500
"$sim" transfer --load 0.6 --sizes fixed:30 --slots 1000 --warmup 0 --list >"$dir/list"
same_for_any_threads replay "$dir/list" --scheme all --source window --queue 40 --ack 0.1
same_for_any_threads replay "$dir/list" --scheme all --source window --queue 40 --ack 0.1 --handshake
same_for_any_threads transfer --scheme drb,walk --runs 3 --load 0.3,0.6 --slots 1000 --warmup 100
same_for_any_threads transfer --scheme all --handshake --unit flow --slots 3000 --warmup 500
same_for_any_threads job --job incast --scheme drb,walk --source spray --queue 20 --runs 3 --data 100
same_for_any_threads ctmc --queues 50 --time 100

refused 'layers 0' flow -l 0
refused 'layers 17' flow -l 17
refused 'arity' packet -d x
refused 'hosts' packet -l 16 -d 4096
refused 'above 0 and below 1' packet --load 1
refused 'above 0 and below 1' packet --load 0.5,0
refused '--load' packet --load 0.9:0.6:0.1
refused '--load' packet --load ''
refused 'flows' flow --flows 5-1
refused 'whole' flow --flows 1.5
refused '--runs 0: must be a whole number from 1 to 1000000$' flow --runs 0
refused '--links: of one run: take --runs 1, or --each$' packet --links --runs 2
refused '--seed -1: must be a whole number$' flow --seed -1
refused 'stats' packet --slots 10 --stats 11
refused "no scheme 'best': must be drb, dmodk, .*walk$" packet --scheme drb,best
refused 'drb is given twice$' packet --scheme drb,drb
refused 'is a comma too many' packet --scheme drb,,
refused 'micro is given twice$' flow --scheme micro,drb,micro
refused 'from 0 to 1, such as 0.5,0.9 or 0.6:0.9:0.1$' packet --load 90
refused "such as 3, 1-5 or 1:9:2\$" flow --flows 0
refused 'not flows' flow --scheme walk
refused 'threshold' packet --threshold -1
refused 'traffic strid: no such traffic: must be permutation, fixed, .*stride:K, .*epoch:S, .*unequal:F or file:PATH$' packet --traffic strid
refused 'traffic stride: must be stride:K, of a whole number from 1$' packet --traffic stride
refused 'traffic jobs:0: must be jobs:K, of a whole number from 1$' packet --traffic jobs:0
refused 'traffic racks:2: must be racks:F, of shares between 0 and 1$' packet --traffic racks:2
refused 'traffic fixed:1: must be fixed$' packet --traffic fixed:1
refused 'must be link:N' packet --fail port:1
for slow in link:1 link:1:0 link:1:1001 switch:1:2 link::2 link:1:x 1:2; do refused 'must be link:N:K' packet --slow $slow; done
refused 'must be whole slots' packet --delay 1.5
refused 'from 0 to 1000' packet --delay 1001
refused 'from 0 to 1000' transfer --stale 1001
for verb in packet transfer job; do refused 'must be one number, or 3' $verb -l 3 -d 2 --delay 0,3; done
for verb in packet transfer job; do refused '32 links' $verb -l 3 -d 2 --slow link:33:2; done
for verb in packet transfer job; do refused '32 links' $verb -l 3 -d 2 --fail link:33; done
refused 'a number above 0 for each layer' transfer --speed 1,0
refused 'must be a whole multiple, up to 1000, of each' transfer --speed 2,3,4
refused 'take a --threshold' transfer --speed 4,2,1
for verb in transfer job; do refused 'must be 3 numbers' $verb --speed 1,2; done
for other in '--slow link:1:2' --handshake '--ack-room 0.1'; do
  refused 'not together with other slow links' transfer --speed 1,2,4 $other
done
refused 'leave out --unit' transfer --fail link:1 --unit flow
refused 'leave out --unit' job --fail switch:1 --ack-room 0.1

# The slow links of a run, each once.
listed() { "$sim" packet --slots 2 --stats 1 --load 0.5 --csv "$@" | value slow_links | tr ' ' '\n' | sort -u; }
if [ "$(listed --slow link:5:4 --seed 3 | grep -cE '^s[12]-[0-7].u[01]$')" != 5 ] ||
  [ "$(listed --slow link:32:4 | wc -l)" != 32 ]; then
  echo "not ok: slow_links: $(listed --slow link:5:4 --seed 3)" && failed=1
fi
refused '16 links' packet -l 3 -d 2 --uplinks 1 --slow link:17:2 --load 0.3
refused 'as many as down-ports' packet --uplinks 3
refused 'has none' flow -l 1 -d 4 --uplinks 2
refused 'more than the 0.5 that 1 uplinks for 2 hosts carry' packet --uplinks 1 --load 0.5
refused 'take a --threshold' transfer --uplinks 1 --load 0.6
refused '64 ports' packet -d 33 --fail switch:1
echo '5 cut s1-0.u0' >"$dir/faults"
refused '64 ports' packet -d 33 --faults "$dir/faults"
refused 'leave out --unit' transfer --unit flow --faults "$dir/faults"
refused 'leave out --fail, and cut' job --hosts ethereal --scheme ecmp --faults "$dir/faults"
refused 'leave out --handshake' transfer --handshake --faults "$dir/faults"
refused 'whole number of slots' packet --detect 1.5
refused 'No such file' packet --faults "$dir/none"
for verb in packet transfer job; do
  echo '5 cut h0' >"$dir/faults" && refused "faults:1: cut: 'h0' is no link" $verb --faults "$dir/faults"
done
printf '40 cut s1-0.u0\n50 cut s1-1.u0\n49 mend s1-0.u0\n' >"$dir/faults"
"$sim" packet --slots 50 --stats 10 --load 0.5,0.6 --faults "$dir/faults" 2>"$dir/errors" >"$dir/out"
[ "$(grep -c 'faults: 1 of 3 faults come after the 50 slots of the run: .* --slots$' "$dir/errors")" = 1 ] ||
  { echo "not ok: no warning of faults after the run: $(cat "$dir/errors")" && failed=1; }
echo '5us kill s2-0' >"$dir/faults"
refused 'take a number of slots' packet --faults "$dir/faults"
refused 'too many for the 4 hosts of F' packet -l 1 -d 2 --traffic stride:4
refused 'GiB' packet -l 4 -d 100 --memory 1
refused 'GiB' flow -l 4 -d 100 --memory 1
refused 'below 1' transfer --load 1
refused 'websearch, datamining, fixed:N or file:PATH' transfer --sizes web
refused 'none/such: No such file' transfer --sizes file:/none/such
refused ' --unit route: must be packet, flow or flowlet$' transfer --unit route
refused 'not flows: take --unit packet' transfer --unit flow --scheme walk
refused 'open, window, spray or uec' transfer --source tcp
refused 'must be packets' job --mark 0
refused 'flow, spray, reps or ethereal' transfer --hosts random
refused 'take drbsim job' transfer --hosts ethereal --scheme ecmp
refused 'leave out --fail' job --hosts ethereal --scheme ecmp --fail link:1
refused 'take --scheme ecmp' transfer --hosts spray --scheme ecmp,drb
refused 'take --unit packet' transfer --hosts spray --scheme ecmp --unit flow
refused 'take --source spray' job --hosts reps --scheme ecmp
refused 'must be link:N:K' replay --gray link:1
refused '32 links' job -l 3 -d 2 --scheme ecmp --source spray --hosts reps --gray link:33:0
refused 'never ends' job --scheme ecmp --source spray --gray link:1:0
refused 'leave out --handshake' transfer --scheme ecmp --source spray --hosts spray --gray link:1:0 --handshake
refused 'from 10 to' job --timeout 1
"$sim" job --source spray --delay 100 --data 8 --runs 1 --timeout 1211 2>"$dir/errors" >"$dir/out"
grep -q 'take --timeout 2424$' "$dir/errors" ||
  { echo "not ok: no warning of a timeout below a round trip" && failed=1; }
"$sim" job --scheme drb --job incast --data 20 --runs 2 --longest 50 2>"$dir/errors" >"$dir/out"
grep -q ' drb, incast: [0-9]* of [0-9]* transfers did not arrive: .* --longest 50$' "$dir/errors" ||
  { echo "not ok: no warning of a job that did not end" && failed=1; }
refused 'take --queue' job --trim --source spray
refused 'take --source spray' job --trim --queue 20
refused 'from 1 to' transfer --runs 0
refused 'no fewer than' transfer --slots 100 --warmup 100
refused 'from 1 to' transfer --queue 0
refused "no job 'reduce'" job --job all-to-all,reduce
refused 'no power of two' job -d 3 --job all-reduce-halving
refused 'random or label' job --place rack
refused 'from 0 to 1' job --ack 1.5
refused 'take one --load' transfer --list
refused 'take one --job' job --list
refused 'leave out --hosts ethereal' job --job incast --scheme ecmp --hosts ethereal --list
refused 'no list' replay
# Scheme ecmp reads flows, which leaves 20 bits of a word for the number of a packet.
status=0
"$sim" job --job incast --data 1000000 -d 4 --scheme ecmp 2>"$dir/errors" >"$dir/out" || status=$?
if [ $status != 1 ] || ! grep -q 'cannot simulate it: more packets are under way than' "$dir/errors"; then
  echo "not ok: a job with too many packets under way: $(cat "$dir/errors")"
  failed=1
fi
# A matrix gives the number of hosts that it needs.
printf 'Nodes 128\nConnections 1\n0->127 start 0 size 4096\n' >"$dir/matrix"
echo "{\"model\": \"list\", \"list\": \"$dir/matrix\"}" >"$dir/points"
if ! "$sim" run "$dir/points" | grep -q '"layers":3,"arity":4'; then
  echo "not ok: a matrix of 128 nodes takes F(3,4)"
  failed=1
fi
echo "{\"model\": \"list\", \"list\": \"$dir/matrix\", \"arity\": 3}" >"$dir/points"
refused 'has 128 nodes, F(3,3) has 54 hosts: take -l 3 -d 4' run "$dir/points"
refused 'slots: leave them out' replay "$dir/list" --packet 1500 --slot 120
refused 'give both' replay "${BASH_SOURCE[0]%/*}/../fuzz/corpus/list/htsim" --slot 120
refused 'none/such: No such file' replay /none/such
# No line was read of a folder, nor of an empty file.
for words in "replay $dir" "run $dir" "packet --faults $dir" "packet --traffic file:$dir" "transfer --sizes file:$dir"; do
  # shellcheck disable=SC2086
  refused "$dir: Is a directory\$" $words
done
refused 'faults /dev/null: has no fault$' packet --faults /dev/null
printf 'num_ranks 2\nrank 0 {\nsend 1b to 1\n}\n' >"$dir/goal"
refused "$dir/goal:3: a send and a recv must meet" replay "$dir/goal"
printf 'num_ranks 2\nrank 0 {\na: calc 5\nb: calc 5\na requires b\nb requires a\n}\n' >"$dir/goal"
"$sim" replay "$dir/goal" --scheme drb 2>"$dir/errors" >"$dir/out"
for warning in "$dir/goal: no transfer between hosts" 'drb: 2 of 2 computations and receives did not end'; do
  grep -q "warning: $warning" "$dir/errors" || { echo "not ok: no warning '$warning'" && failed=1; }
done
printf 'num_ranks 4\nrank 0 {\na: calc 5\nb: send 100b to 2\nb requires a\n}\nrank 2 {\nrecv 100b from 0\n}\n' >"$dir/goal"
"$sim" replay "$dir/goal" --scheme drb 2>"$dir/errors" >"$dir/out"
[ -s "$dir/errors" ] && { echo "not ok: a computation that ends in slot 0: $(cat "$dir/errors")" && failed=1; }
"$sim" replay "$dir/list" --scheme drb --longest 1 2>"$dir/errors" >"$dir/out"
grep -q "$dir/list: [0-9]* of [0-9]* transfers begin when the run has ended: .* --longest than 1$" "$dir/errors" ||
  { echo "not ok: no warning of transfers after the run" && failed=1; }
refused "$dir/list:2: .*hosts of this fabric" replay -l 1 -d 2 "$dir/list"
topo=$dir/128.topo
for tier in '0 4 4 100' '1 4 4 200' '2 8 0 400'; do
  read -r n down up speed <<<"$tier"
  printf 'Tier %s\nDownlink_speed_Gbps %s\nRadix_Down %s\nRadix_Up %s\nDownlink_Latency_ns 1000\n' \
    "$n" "$speed" "$down" "$up"
done | sed '1iNodes 128\nTiers 3' >"$topo"
"$sim" replay "$dir/matrix" --topo "$topo" --source uec --json >"$dir/as_file"
"$sim" replay "$dir/matrix" --speed 1,2,4 --packet 4096 --slot 83.2 --delay 12 --source uec --json >"$dir/as_options"
cmp "$dir/as_file" "$dir/as_options" || { echo "not ok: --topo is not --speed" && failed=1; }
refused 'leave out .* --speed' replay "$dir/matrix" --topo "$topo" --speed 1,2,4
sed 's/ns 1000/ns 20/' "$topo" >"$dir/short"
"$sim" replay "$dir/matrix" --topo "$dir/short" --scheme drb,dmodk 2>"$dir/errors" >"$dir/out"
[ "$(grep -c 'links of layer [123] take 20 ns, and 0 slots of 83.2 ns in this run$' "$dir/errors")" = 3 ] ||
  { echo "not ok: latencies that slots change: $(cat "$dir/errors")" && failed=1; }
cat >"$dir/sonic" <<'END'
{"PORT": {"Ethernet0": {"speed": "400000"}}, "ARS_INTERFACES": {"Ethernet0": {"scaling_factor": "1", "NULL": ""}},
 "ARS_PROFILE": {"p": {}}, "ARS_PORTCHANNEL": {}}
END
"$sim" packet --slots 10 --stats 5 --load 0.5 --scheme "ars:config=$dir/sonic" 2>"$dir/errors" >"$dir/out"
grep -q "sonic: scheme ars does not model ARS_PORTCHANNEL, scaling_factor$" "$dir/errors" ||
  { echo "not ok: what ars does not model: $(cat "$dir/errors")" && failed=1; }
refused 'says slots: take --speed and --delay instead, or --source uec$' replay "$dir/list" --topo "$topo"
sed 's/Nodes .*/Nodes 16/' "$dir/matrix" >"$dir/of_16"
refused "has 16 nodes, --topo .* has 128: take a topology file of as many$" replay "$dir/of_16" --topo "$topo"
refused 'only uec knows it, .*: take --source uec$' transfer --nic 100
# A transfer that spreads over slower links is not faster than alone, and none has no time alone.
for alone in open same; do
  "$sim" transfer -d 4 --load 0.02 --sizes fixed:400 --speed 2,1,1 --scheme walk --slots 5000 --warmup 0 \
    --alone $alone --json |
    jq -es '.[0].slowdown_mean | . >= 1 and . < 1.3' >"$dir/out" || { echo "not ok: slowdown, alone $alone" && failed=1; }
done
# Two transfers share a link from slot 0 on. The third begins when one has arrived, after slot 100.
printf 'transfer,slot,from,to,packets,after_sent,after_arrived\n0,0,0,1,200,,\n1,0,0,1,200,,\n2,0,1,0,10,,0\n' >"$dir/list"
echo "{\"model\": \"list\", \"list\": \"$dir/list\", \"from\": 100}" | "$sim" run | jq -es '.[0].slowdown_mean == 1' >"$dir/out" ||
  { echo "not ok: what begins after --from counts" && failed=1; }
echo '900000 cut s1-0.u0' >"$dir/faults"
for verb in "replay $dir/list" "job --runs 1" "transfer --slots 100 --warmup 10"; do
  # shellcheck disable=SC2086 # words
  "$sim" $verb --faults "$dir/faults" 2>"$dir/errors" >"$dir/out"
  grep -q '1 of 1 faults come after the run has ended, in slot [1-9]' "$dir/errors" ||
    { echo "not ok: $verb: no warning of a late fault" && failed=1; }
done
sed -i s/400/300/ "$topo"
refused 'Downlink_speed_Gbps: the fastest must be a whole multiple' replay "$dir/matrix" --topo "$topo"
refused 'from 1 to' job --data 0
refused 'lambda' theory --lambda 1
refused 'queues' ctmc --queues 1
refused 'layers' layers -l 1
refused "'drb' is one argument too many" packet drb
refused 'call drblab search' search --scheme walk,micro
refused 'call drblab paper' paper --quick
exit $failed
