#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Permutation traffic at load 0.9 arrives once and at the right hosts, and the counters of the
# switches agree with the generator.
# Quiet: no packet may be lost.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbgen
need_tool jq

# Prints "IN OUT" from the counters of the switches: packets that hosts sent into the fabric, and
# packets delivered to hosts. Packets dropped on entry do not count, because hosts' kernels send,
# too.
host_ports() {
  PYTHONPATH=$root/topo python3 -B - <<'END'
from drbfabric.fabric import check
from drbfabric.fabric.fabrics import Fabric

plan = Fabric('drb').need_plan()
views = check.snapshots(plan)
came = went = 0
for link in plan['links']:
    if link['lower_port'] == 'eth0':
        ports = views[link['upper']]
        i = ports['name'].index(link['upper_port'])
        came += ports['in_packets'][i] - ports['in_discards'][i]
        went += ports['out_packets'][i]
print(came, went)
END
}

# replay DIR SLOTS: replays the traffic, keeps the report, and compares it with the switches'
# counters
replay() {
  local before after wrong
  before=$(host_ports) || return
  "$build/src/gen/drbgen" replay "$1" --records "$scratch/records" --hgrm "$scratch/hgrm" --json >"$scratch/report"
  after=$(host_ports) || return
  cat "$scratch/report"
  echo "by the switches, in and out: before $before, after $after"
  wrong=$(jq -r --argjson before "[${before/ /,}]" --argjson after "[${after/ /,}]" --argjson slots "$2" '
    def claim(what; holds): if holds then empty else "wrong: " + what end;
    claim("sent what was asked"; .sent > 0.85 * 16 * $slots and .not_sent == 0),
    claim("nothing is lost, duplicated or misdelivered";
      .received == .sent and .lost == 0 and .duplicated == 0 and .misdelivered == 0),
    claim("the switches received what was sent"; $after[0] - $before[0] == .sent),
    claim("the switches delivered what was received"; $after[1] - $before[1] == .received)' "$scratch/report") || return
  [ -z "$wrong" ] || { echo "$wrong" && false; }
}

# recomputed: the report's figures follow from the row of each packet, and the histogram agrees
recomputed() {
  python3 - "$scratch/records" "$scratch/hgrm" "$scratch/report" <<'END'
import csv, json, math, sys
with open(sys.argv[1]) as f:
    rows = list(csv.DictReader(f))
ns = sorted(int(r['latency_ns']) for r in rows if r['latency_ns'] and r['in_latencies'] == '1')
with open(sys.argv[3]) as f:
    report = json.load(f)
with open(sys.argv[2]) as f:
    lines = [line.split() for line in f if line[0] == ' ' and not line.lstrip().startswith('Value')]
# The report's latency includes the slot in which a packet is born.
mine = {f'latency_p{p}_us': ns[math.ceil(len(ns) * q / 1000) - 1] / 1e3 + report['slot_us'] for p, q in (('50', 500), ('99', 990), ('999', 999))}
mine['sent'] = len(rows)
wrong = [k for k, v in mine.items() if k in report and abs(report[k] - v) > 0.06]
at_half = next(float(line[0]) for line in lines if float(line[1]) >= 0.5)
if at_half != ns[math.ceil(len(ns) / 2) - 1] / 1e3 or int(lines[-1][2]) != len(ns) or len(set(report) & set(mine)) < 3:
    wrong.append('histogram')
print(mine, report, lines[-1], wrong)
sys.exit(bool(wrong))
END
}

says() { # says PATTERN COMMAND...: it succeeds, and a line on standard error matches
  local pattern=$1 said
  shift
  said=$("$@" 2>&1 >/dev/null)
  local status=$?
  echo "exit status $status, said: $said"
  [ $status = 0 ] && grep -qE -- "$pattern" <<<"$said"
}

late_ns() { drbctl show --all worker --json | jq -s 'map(.late_ns) | add'; }

# The machine's share of latency in the report is within 20 % of that by the switches' own clocks.
# machine_is_named COMMAND...: the command disturbs meanwhile
machine_is_named() {
  local before after replay lines=0
  before=$(late_ns)
  "$build/src/gen/drbgen" replay "$scratch/ecmp" --json --links "$scratch/links" >"$scratch/report" 2>"$scratch/said" &
  replay=$!
  "$@" $replay
  wait $replay
  after=$(late_ns)
  cat "$scratch/report" "$scratch/said"
  echo "packets left $((after - before)) ns late in all"
  jq -e "(.machine_late_us * 1000 * .received / ($after - $before) - 1 | fabs) < 0.2 and
    .late_switches >= 1 and .growing != \"yes\"" "$scratch/report" || return
  # The warning is needed only above the usual disturbance. The kernel may keep busy loops aside,
  # and then they disturb less.
  if jq -e '.slowest_link < 0.99 or .machine_lost > 0 or .machine_late_us > 0.05 * .latency_mean_us' "$scratch/report"; then
    lines=1
    jq -e .late "$scratch/report" &&
      grep -E 'warning: drb-s[0-9-]+ .*woke too late, .*: (links ran at [0-9]+ to 100 % of their rate from [0-9.]+ s on, which|this) made .*at least [0-9]+ % of the latency: ' \
        "$scratch/said" || return
  fi
  [ "$(grep -c 'drb-.*woke too late' "$scratch/said")" = $lines ]
}

# one_sleeps PID: stops s1-2 for 50 ms, over and over, until PID ends; its queues are rarely empty
one_sleeps() {
  local pid
  pid=$(drbctl list --json | jq 'select(.switch == "s1-2") | .pid')
  while runs "$1"; do
    kill -STOP "$pid" && sleep 0.05 && kill -CONT "$pid" && sleep 0.1
  done
}

sleeper_is_named() {
  machine_is_named one_sleeps && python3 -c "
import csv
rows = list(csv.DictReader(open('$scratch/links')))
slowest = min(rows, key=lambda row: float(row['rate_part']))
print(slowest)
assert len(rows) == 80 and slowest['switch'] == 's1-2' and float(slowest['rate_part']) < 0.9"
}

# With short queues, a sleeping switch loses more of the same traffic than without sleep. The report
# blames the machine for the difference. The machine may disturb the run without sleep, too, and
# drbgen fails when packets are lost.
loss_is_named() {
  local without
  drbgen replay "$scratch/drb" --json >"$scratch/report"
  without=$(jq -e '.lost - .machine_lost' "$scratch/report") || return
  "$build/src/gen/drbgen" replay "$scratch/drb" --json >"$scratch/report" 2>"$scratch/said" &
  one_sleeps $!
  cat "$scratch/report" "$scratch/said"
  echo "lost without sleep: $without"
  jq -e "(.machine_lost / (.lost - $without) - 1 | fabs) < 0.2 and .lost > $without + 100" "$scratch/report"
}

runs() { [ -e "/proc/$1/exe" ]; }

# loops_run PID: runs four busy loops until PID ends
loops_run() {
  for _ in 1 2 3 4; do
    while runs "$1"; do :; done &
  done
}

up -l 3 -d 2 --rate 500pps --scheme drb
for scheme in drb dmodk ecmp; do
  slots=500
  [ $scheme != drb ] || slots=2000
  case $scheme in
    dmodk) check "$scheme: replan" fabric replan --scheme $scheme ;;
    ecmp)
      check "down" fabric down
      up -l 3 -d 2 --rate 500pps --scheme $scheme --links memif
      ;;
  esac
  check "$scheme: write" drbgen write -l 3 -d 2 --traffic permutation --load 0.9 --slots $slots \
    --slot 2ms --seed 7 --out "$scratch/$scheme"
  decide "$scheme: everything arrives once, and the switches counted it" unhindered 100 25 replay "$scratch/$scheme" $slots
  jq -r '"# \(.sent) packets, mean latency \(.latency_mean_slots) slots, generator late by up to \(
    .late_max_us) us"' "$scratch/report"
  check "$scheme: its rows and its histogram say what the report says" recomputed
  check "$scheme: packets are conserved" fabric check counters
done
check "slots that are not those of the links" says \
  'slots of 4ms, but a packet takes 2ms on links of fabric drb .500pps.: loads are 0.5 times .*; --slot 2ms fits$' \
  drbgen replay "$scratch/ecmp" --slot 4ms
decide "a switch that sleeps is said to be late, and its links to be the slowest" unshared 25 sleeper_is_named
decide "beside four busy loops the machine is named, and nothing else" unshared 25 machine_is_named loops_run
check "down" fabric down
up -l 3 -d 2 --rate 500pps --links memif --queue 16
decide "losses of a switch that sleeps are the machine's" unshared 25 loss_is_named
check "down" fabric down
check "nothing is left" nothing_left
finish
