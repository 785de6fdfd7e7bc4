#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Switches hand the kernel runs of TCP segments as one packet each, and it cuts them again. What
# arrives at a host was sent by the other one, octet for octet, whatever is lost on the way. A port whose
# interface would not have its packets cut is not given runs.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/story.bash"
need drbtopo drbswitch drbctl
need_tool iperf3 jq python3 ss tcpdump

pid_of() { drbctl list --json | jq -r "select(.switch == \"$1\") | .pid"; }

run_packets() { drbctl show "$1" worker --json | jq .run_packets; }

usable() { [ "$(drbctl list --json | jq -s 'map(.ports_usable) | add')" = 24 ]; }

listens() { fabric exec "$1" -- ss -ltnH 'sport = :5201' | grep .; }

captures() { grep -q 'listening on' "$scratch/$1.log"; }

capture() { # capture HOST: all TCP there goes to $scratch/HOST.pcap
  "$root/topo/fabric" exec "$1" -- timeout 150 tcpdump --immediate-mode -U -B 65536 -i eth0 -w "$scratch/$1.pcap" tcp \
    2>"$scratch/$1.log" &
  running+=($!)
  soon captures "$1"
}

same() { python3 -B "$root/tests/live/same_frames.py" "$scratch/h0.pcap" "$scratch/h7.pcap"; }

transfers() { # transfers ADDRESS: 4 MB of TCP to h7
  "$root/topo/fabric" exec h7 -- timeout 120 iperf3 -s -1 >"$scratch/server" 2>&1 &
  running+=($!)
  soon listens h7 && fabric exec h0 -- timeout 50 iperf3 -c "$1" -n 4M
}

sends() { # sends ADDRESS: and what both hosts saw of it
  local status running=()
  # What was sent last may be on its way to the file.
  capture h0 && capture h7 && transfers "$1" && soon same
  status=$?
  kill "${running[@]}" 2>/dev/null
  wait "${running[@]}"
  return $status
}

for driver in af_packet af_xdp; do
  if [ $driver = af_xdp ] && [ "$(awk '{ print $2 }' /proc/self/uid_map)" != 0 ]; then
    skip "$driver" "programs cannot be loaded in a user namespace"
    continue
  fi
  up -l 2 -d 2 --driver $driver --unit flow
  check "$driver: all ports are usable" soon usable
  for address in 10.0.0.8 fd00::8; do
    check "$driver: the frames sent to $address are those that arrive" sends $address
  done
  for switch in s1-0 s1-3; do
    check "$driver: runs were handed over at $switch" test "$(run_packets $switch)" -gt 100
  done
  check "$driver: packets are conserved" fabric check counters
  [ $driver = af_packet ] || check "down" fabric down
  [ $driver = af_packet ] || continue

  for port in d0 d1 u0 u1; do
    fabric exec s1-0 -- python3 -B "$root/tests/live/same_frames.py" --offloads-on $port
  done
  pid=$(pid_of s1-0)
  kill "$pid"
  soon sh -c "! kill -0 $pid 2>&-" >"$scratch/said"
  "$root/topo/fabric" exec s1-0 -- "$build/src/switch/drbswitch" -c /run/drbswitch/drb/s1-0.yaml >"$scratch/s1-0" 2>&1 &
  check "s1-0 is back, and no packet goes around it" soon usable
  check "offloads on: the frames sent are those that arrive" sends 10.0.0.8
  check "offloads on: no runs at s1-0" test "$(run_packets s1-0)" = 0
  check "down" fabric down
done
finish
