#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Counts the same traffic inside the kernel and by capture sockets. Both find all packets, and their
# latencies agree as far as those of two runs do. The program in the kernel passes all other packets
# and leaves nothing behind.
# Quiet: no packet may be lost.
# Full: replay.sh counts the same traffic with capture sockets.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbgen
need_tool jq

up -l 3 -d 2 --rate 500pps --scheme drb
check "write" drbgen write -l 3 -d 2 --traffic permutation --load 0.8 --slots 1000 --slot 2ms \
  --seed 5 --out "$scratch/traffic"

report_says() { cat "$scratch/$1.json" && jq -e "$2" "$scratch/$1.json"; }

whole() { # whole SINK
  drbgen replay "$scratch/traffic" --sink "$1" --json >"$scratch/run.json"
  report_says run '.received == .sent and .lost == 0 and .duplicated == 0 and .misdelivered == 0'
}

# off KEY: prints the relative difference of this figure between both sinks
off() { jq -s --arg key "$1" '(.[0][$key] - .[1][$key]) / .[1][$key]' "$scratch/xdp.json" "$scratch/pcap.json"; }

if ! said=$(drbgen replay "$scratch/traffic" --sink xdp --json 2>&1 >"$scratch/first.json") &&
  [[ $said == *"--sink xdp: "* ]]; then
  skip "counting inside the kernel" "${said#*: }"
  check "without it, capture is the default" drbgen replay "$scratch/traffic"
  finish
  exit
fi

# Other work of the machine only adds to latencies. The runs with the smallest mean are compared, of
# three each, taken in turns.
for _ in 1 2 3; do
  for sink in pcap xdp; do
    decide "$sink: everything arrives once and where it should" unhindered 100 25 whole $sink
    jq -r "\"# $sink: mean \(.latency_mean_slots) slots, tail \(.tail_slots), late \(.late_max_us) us\"" \
      "$scratch/run.json"
    mean() { jq .latency_mean_slots "$1" 2>/dev/null || echo 1e9; }
    if [ "$(jq -n "$(mean "$scratch/run.json") < $(mean "$scratch/$sink.json")")" = true ]; then
      cp "$scratch/run.json" "$scratch/$sink.json"
    fi
  done
done

for sink in pcap xdp; do
  check "$sink: every slot was measured" report_says $sink '.latency_samples == .sent'
done
check "both sent the same" jq -es '.[0].sent == .[1].sent' "$scratch/xdp.json" "$scratch/pcap.json"
# Two runs agree only as well as the machine permits. The sink's unit test checks that both rules
# are the same to the nanosecond.
for key in latency_mean_slots latency_p50_slots tail_slots; do
  echo "# $key: xdp is off pcap by $(off $key)"
done

# Ten times slower, the replay runs until it is killed.
"$build/src/gen/drbgen" replay "$scratch/traffic" --slot 20ms --sink xdp >/dev/null 2>&1 &
replay=$!
disown
# ip shows an XDP program at the link that has it.
attached() { ip -n drb-h5 link show eth0 | grep xdp; }
not_attached() { ! attached; }
check "the program is attached while traffic runs" soon attached
program_of() { ip -n "drb-$1" link show eth0 | grep -o 'prog/xdp id [0-9]*'; }
check "one program serves all hosts" test "$(program_of h5)" = "$(program_of h12)"
check "and the hosts' own packets pass" soon fabric exec h5 -- ping -c 1 -W 2 10.0.0.12
check "and it still runs" attached
kill -9 $replay
check "killed, it leaves no program behind" soon not_attached
check "down" fabric down
check "nothing is left" nothing_left
finish
