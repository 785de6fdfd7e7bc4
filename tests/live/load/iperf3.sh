#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Ordinary TCP and UDP between hosts at distance 3, over five switches. TCP is compared with the kernel's
# own over five bridges, in turns of a second each: what slows the machine down slows both.
# Alone: throughput is measured.
# Full: it measures for a minute; offloads.sh and units.sh send TCP and UDP.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl
need_tool iperf3 jq
seconds=3 rounds=3
# The fabric carries 0.6 of what bridges do; below this share of it something is wrong.
share=0.3

listens() { ip netns exec "$1" ss -ltnH 'sport = :5201' | grep .; }

serve() { # serve NAMESPACE: a server for one client, returns when it listens
  ip netns exec "$1" iperf3 -s -1 >"$scratch/server" 2>&1 &
  soon listens "$1"
}

# The control: hosts c0 and c6 with five bridges between them, c1 to c5, all with frames of the same size.
control_up() {
  local i
  for i in 0 1 2 3 4 5 6; do
    ip netns add c$i && ip -n c$i link set lo up || return
  done
  for i in 0 1 2 3 4 5; do
    ip link add right netns c$i type veth peer name left netns c$((i + 1)) || return
  done
  for i in 1 2 3 4 5; do
    ip -n c$i link add br0 type bridge && ip -n c$i link set left master br0 &&
      ip -n c$i link set right master br0 && ip -n c$i link set br0 up || return
  done
  for i in 0 1 2 3 4 5 6; do
    PYTHONPATH=$root/topo ip netns exec c$i python3 -B -c 'import os; from drbfabric.fabric import netns
for name in set(os.listdir("/sys/class/net")) & {"left", "right"}:
    netns.offloads_off(name)' || return
    [ $i = 6 ] || ip -n c$i link set right up || return
    [ $i = 0 ] || ip -n c$i link set left up || return
  done
  ip -n c0 address add 10.9.0.1/24 dev right && ip -n c6 address add 10.9.0.2/24 dev left &&
    soon ip netns exec c0 ping -c 1 -W 1 10.9.0.2
}

tcp() { # tcp CLIENT SERVER ADDRESS: bit/s
  serve "$2" >&2 && ip netns exec "$1" iperf3 -J -c "$3" -t 1 | jq .end.sum_received.bits_per_second
}

tcp_compared() { # tcp_compared ADDRESS: in turns; the sums are in $scratch/tcp
  local i
  for ((i = 0; i < rounds; i++)); do
    { tcp c0 c6 10.9.0.2 && tcp drb-h4 drb-h10 "$1"; } | jq -s '{kernel: .[0], fabric: .[1]}'
  done | jq -s '{kernel: (map(.kernel) | add / length), fabric: (map(.fabric) | add / length)}' >"$scratch/tcp"
  cat "$scratch/tcp"
  jq -e ".fabric > 100e6 and .fabric > $share * .kernel" "$scratch/tcp"
}

udp() { # udp ADDRESS: a rate that two busy cores carry
  serve drb-h10 && fabric exec h4 -- iperf3 -J -u -b 20M -l 1400 -c "$1" -t $seconds >"$scratch/udp" &&
    jq -e '.end.sum.packets > 0 and .end.sum.lost_percent < 1' "$scratch/udp"
}

up -l 3 -d 2 --offloads off
check "five bridges of the kernel" control_up
for address in 10.0.0.11 fd00::b; do
  check "TCP to $address" tcp_compared $address
  jq -r '"# \(.fabric / 1e7 | round / 100) Gbit/s, the kernel \(.kernel / 1e7 | round / 100) Gbit/s"' "$scratch/tcp"
  # A socket of iperf3 holds 40 ms of it.
  decide "UDP to $address" undisturbed 40 udp $address
  jq -r '.end.sum | "# \(.lost_packets) of \(.packets) lost"' "$scratch/udp"
done
check "no system call was refused" sh -c "$build/src/ctl/drbctl show s1-2 info --json | jq -e '.trouble == \"\"'"
check "packets are conserved" fabric check counters
check "down" fabric down
finish
