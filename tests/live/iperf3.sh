#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Ordinary TCP and UDP between hosts at distance 3, over five switches.
# Alone: throughput is measured.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/story.bash"
need drbtopo drbswitch drbctl
need_tool iperf3 jq
seconds=3

listens() { fabric exec "$1" -- ss -ltnH 'sport = :5201' | grep .; }

serve() { # serve HOST: a server for one client, returns when it listens
  fabric exec "$1" -- iperf3 -s -1 >"$scratch/server" 2>&1 &
  soon listens "$1"
}

tcp() { # tcp ADDRESS
  serve h10 && fabric exec h4 -- iperf3 -J -c "$1" -t $seconds >"$scratch/tcp" &&
    jq -e '.end.sum_received.bits_per_second > 100e6' "$scratch/tcp"
}

udp() { # udp ADDRESS: a rate that two busy cores carry
  serve h10 && fabric exec h4 -- iperf3 -J -u -b 20M -l 1400 -c "$1" -t $seconds >"$scratch/udp" &&
    jq -e '.end.sum.packets > 0 and .end.sum.lost_percent < 1' "$scratch/udp"
}

# What the machine loses while it has other work, it loses once: three tries.
tried() { "$@" || "$@" || "$@"; }

up -l 3 -d 2
for address in 10.0.0.11 fd00::b; do
  check "TCP to $address" tried tcp $address
  jq -r '.end.sum_received.bits_per_second / 1e9 | "# \(. * 100 | round / 100) Gbit/s"' "$scratch/tcp"
  check "UDP to $address" tried udp $address
  jq -r '.end.sum | "# \(.lost_packets) of \(.packets) lost"' "$scratch/udp"
done
check "packets are conserved" fabric check counters
check "down" fabric down
finish
