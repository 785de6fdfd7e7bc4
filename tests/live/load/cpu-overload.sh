#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Data that overloads every CPU of the machine: more than the switches can forward, for 30 seconds. Eight
# generators send it: the kernel shares CPUs fairly, and one alone beside 20 switches gets too little time to
# send more than they forward. Hellos have a way of their own and data is a sign of life, so no link changes
# its state; afterwards all is as before. The kernel may keep one of these 28 processes from a CPU for longer than
# neighbours wait for its hellos: what happens then does not count. (More than links carry: overload.sh.)
# Alone: it takes every CPU.
# Full: it takes every CPU for 30 s; overload.sh overloads links.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl drbgen
need_tool jq python3

seconds=${DRB_OVERLOAD_S:-30}

# When each link between switches entered its state: while none changes, the lines stay the same.
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
busy() { # of the CPUs, in percent, since the line of /proc/stat in $1
  awk -v before="$(cat "$1")" '/^cpu / { split(before, b); idle = $5 - b[5]; all = 0
    for (i = 2; i <= NF; i++) all += $i - b[i]; printf "%d", 100 * (1 - idle / all) }' /proc/stat
}

drbgen write -l 3 -d 2 --traffic incast:8 --load 0.9 --slot 50us --slots 2000 --out "$scratch/traffic" 2>/dev/null
up -l 3 -d 2
check "all links are up" soon all_up
# Its figures are in $scratch/share.
overload() {
  local generator generators=()
  for _ in {1..8}; do
    timeout -s INT "$seconds" "$build/src/gen/drbgen" replay --topspeed --loop 0 "$scratch"/traffic/*.pcap \
      >/dev/null 2>&1 &
    generators+=($!)
  done
  sleep 3 # they read their captures first
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
