#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Overloads every CPU of the machine for 30 seconds: more data arrive than the switches can forward.
# Sixteen generators send. One generator is too few, because the kernel shares CPUs fairly: beside
# 20 switches, it would get too little time to send more than they forward.
# No link may change its state, because hellos have their own queue and data count as signs of life.
# Afterwards all is as before. If the kernel keeps one of the 36 processes off a CPU for longer than
# the hold time, the result does not count. (overload.sh sends more than links carry.)
# Alone: it takes every CPU.
# Full: it takes every CPU for 30 s; overload.sh overloads links.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl drbgen
need_tool jq python3

seconds=${DRB_OVERLOAD_S:-30}

# Prints the time when each link between switches entered its state. Lines stay equal while no state
# changes.
links() {
  PYTHONPATH=$root/topo python3 -B - <<'END'
from drbfabric.fabric.telemetry import Telemetry
for layer, count, ports in (1, 8, 'u0 u1'), (2, 8, 'd0 d1 u0 u1'), (3, 4, 'd0 d1 d2 d3'):
    for switch in (f's{layer}-{label}' for label in range(count)):
        with Telemetry(f'drb-{switch}') as telemetry:
            for port in ports.split():
                reply = telemetry.ask(f'/drb/port,{port}')
                print(f'{switch}.{port}', reply['state'], reply['since_ns'])
END
}
all_up() { links >"$scratch/before" && [ "$(grep -c ' up ' "$scratch/before")" = 64 ]; }
unchanged() { links >"$scratch/after" && diff "$scratch/before" "$scratch/after"; }
busy() { # busy FILE: percentage of CPU time in use since FILE's line of /proc/stat
  awk -v before="$(cat "$1")" '/^cpu / { split(before, b); idle = $5 - b[5]; all = 0
    for (i = 2; i <= NF; i++) all += $i - b[i]; printf "%d", 100 * (1 - idle / all) }' /proc/stat
}

drbgen write -l 3 -d 2 --traffic incast:8 --load 0.9 --slot 50us --slots 2000 --out "$scratch/traffic" 2>/dev/null
up -l 3 -d 2
check "all links are up" soon all_up
# overload: runs the generators; $scratch/share has the CPU use
overload() {
  local generator generators=()
  for _ in {1..16}; do
    timeout -s INT "$seconds" "$build/src/gen/drbgen" replay --topspeed --loop 0 "$scratch"/traffic/*.pcap \
      >/dev/null 2>&1 &
    generators+=($!)
  done
  sleep 3 # generators read their captures first
  grep '^cpu ' /proc/stat >"$scratch/stat"
  sleep $((seconds - 5))
  busy "$scratch/stat" >"$scratch/share"
  for generator in "${generators[@]}"; do wait "$generator"; done
}
stays_up() { soon all_up >/dev/null && overload; unchanged; }
decide "no link changed its state" undisturbed 200 stays_up
share=$(cat "$scratch/share")
missed=$(drbctl show --all ports --json | jq -s 'map(.in_missed) | add')
taken=$(drbctl show --all ports --json | jq -s 'map(.in_packets) | add')
echo "# CPUs were busy for $share % of $((seconds - 5)) s; $taken packets were received, $missed missed"
check "every CPU was busy" test "$share" -ge 95
check "more came than could be forwarded" test "$missed" -gt $((taken / 1000))
check "packets are conserved" drbctl check
well "every pair" ping
check "down" fabric down
finish
