#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Switches hand consecutive TCP segments to a host's kernel as one GSO packet, which the kernel cuts
# again. Every frame that arrives at a host was sent by the other host, byte for byte, whatever is
# lost on the path. A port gets no GSO packets if its interface would not have them cut.
# Full: offloads.sh carries files bit for bit, and test_coalesce.c tests the frames.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl
need_tool iperf3 jq python3 ss

counted() { drbctl show "$1" worker --json | jq ".$2"; } # counted SWITCH COUNTER

usable() { [ "$(drbctl list --json | jq -s 'map(.ports_usable) | add')" = 24 ]; }

listens() { fabric exec "$1" -- ss -ltnH 'sport = :5201' | grep .; }

# captures HOST: whether the capture runs; otherwise prints its messages
captures() {
  [ "$(head -n 1 "$scratch/$1.log")" = ready ] || { cat "$scratch/$1.log" && false; }
}

# capture HOST: writes all TCP frames there to $scratch/HOST
capture() {
  "$root/topo/fabric" exec "$1" -- python3 -B "$root/tests/live/ports/same_frames.py" --capture eth0 "$scratch/$1" \
    >"$scratch/$1.log" 2>&1 &
  running+=($!)
  soon captures "$1"
}

# offloads 0|1: at all ports of s1-3, which is the switch of the receiving host
offloads() {
  fabric exec s1-3 -- python3 -B "$root/tests/live/ports/same_frames.py" --offloads "$1" d0 d1 u0 u1
}

same() { python3 -B "$root/tests/live/ports/same_frames.py" "$scratch/h0" "$scratch/h7"; }

transfers() { # transfers ADDRESS: sends 4 MB by TCP to h7
  "$root/topo/fabric" exec h7 -- timeout 120 iperf3 -s -1 >"$scratch/server" 2>&1 &
  running+=($!)
  soon listens h7 && fabric exec h0 -- timeout 50 iperf3 -c "$1" -n 4M
}

sends() { # sends ADDRESS: compares the frames of a transfer at both hosts
  local status running=()
  # The last frames may still be on their way to the file, so wait.
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
  up -l 2 -d 2 --driver $driver --unit flow --offloads off
  check "$driver: all ports are usable" soon usable
  for address in 10.0.0.8 fd00::8; do
    check "$driver: the frames sent to $address are those that arrive" sends $address
  done
  check "$driver: GSO packets were handed over at s1-3" test "$(counted s1-3 gso_packets)" -gt 100
  check "$driver: packets are conserved" fabric check counters
  if [ $driver = af_packet ]; then
    # Offloads change while the switch runs. It checks them in its first iteration after a second.
    offloads 1
    sleep 1.1
    check "offloads on: some TCP" sends 10.0.0.8
    before=$(counted s1-3 gso_packets)
    check "offloads on: the frames sent are those that arrive" sends 10.0.0.8
    check "offloads on: no GSO packets at s1-3" test "$(counted s1-3 gso_packets)" = "$before"
    offloads 0
    sleep 1.1
    check "offloads off: the frames sent are those that arrive" sends 10.0.0.8
    check "offloads off: GSO packets at s1-3" test "$(counted s1-3 gso_packets)" -gt "$before"
  fi
  check "down" fabric down
done
finish
