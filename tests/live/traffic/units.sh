#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Units flow and flowlet on a live fabric do not reorder TCP and measured streams. Thresholds follow
# the measured utilisation.
# Quiet: a lost TCP segment arrives out of order.
# Full: it transfers for long; test_flow_table.c tests flows and flowlets.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl drbgen
need_tool iperf3 jq

routing() { drbctl show "$1" routing --json; }


# The kernel queues the packets of a veth for each CPU of a sender, so a process that moves to
# another CPU may overtake its own packets. On one CPU it cannot.
cpu=$(python3 -c 'import os; print(min(os.sched_getaffinity(0)))')
on_one_cpu() { drbctl list --json | jq .pid | xargs -n 1 taskset --all-tasks --cpu-list --pid "$cpu" >/dev/null; }

# TCP that waits for an acknowledgement sends its last segment again, from the CPU of its timer.
# This probe may overtake segments that wait on another CPU.
without_probes() { fabric exec h4 -- sysctl -qw net.ipv4.tcp_early_retrans=0; }

# One TCP stream sends no more than the machine carries, because a lost segment also causes
# disorder.
tcp() {
  fabric exec h10 -- taskset -c "$cpu" iperf3 -s -1 >"$scratch/server" 2>&1 &
  soon listens h10 && fabric exec h4 -- taskset -c "$cpu" iperf3 -J -c 10.0.0.11 -t 2 -b 100M -w 64K >"$scratch/tcp" &&
    jq -e '.end.sum_received.bytes > 1000000' "$scratch/tcp"
}

out_of_order() { # out_of_order: TCP segments that h10 has received out of order so far
  fabric exec h10 -- nstat -az TcpExtTCPOFOQueue | awk '/OFOQueue/ { print $2 }'
}

lost() { # lost: packets that switches have dropped, or missed for want of time, so far
  drbctl show --all ports --json | jq -s 'map(.in_missed + .in_discards + .out_discards) | add'
}

# Segments after a lost one are out of order, wherever it was lost. That says nothing about their
# paths.
in_order() {
  local before lost_before
  before=$(out_of_order) && lost_before=$(lost) && tcp || return 1
  echo "segments out of order before: $before, after: $(out_of_order)"
  [ "$(out_of_order)" != "$before" ] || return 0
  echo "packets lost before: $lost_before, after: $(lost)"
  [ "$(lost)" = "$lost_before" ] || return "$cannot_tell"
  return 1
}

# Uses the longest possible streams: every host sends to one other, in each slot.
replayed() {
  drbgen replay "$scratch/traffic" --json >"$scratch/replay" && jq -e '.reordered == 0 and .lost == 0' "$scratch/replay"
}

# Ignores order, because packets of a stream may take several paths.
replayed_all() {
  drbgen replay "$scratch/traffic" --json >"$scratch/replay" && jq -e '.lost == 0 and .misdelivered == 0' "$scratch/replay"
}

drbgen write -l 3 -d 2 --traffic stride:5 --load 0.8 --slot 1ms --slots 2000 --out "$scratch/traffic" >/dev/null
for unit in flow flowlet; do
  # With a rate there are queues, so choices differ. A flowlet stays in order where no path is
  # slower than another by the gap or more.
  up -l 3 -d 2 --unit $unit --threshold 0 --queue 5000 --rate 1kpps --flowlet-gap 50ms
  check "$unit: switches run on one CPU" on_one_cpu
  check "$unit: TCP sends no probes" without_probes
  for stream in 1 2 3; do
    decide "$unit: TCP in order over five switches, stream $stream" undisturbed 50 in_order
  done
  check "$unit: in use" sh -c "[ \"\$('$build/src/ctl/drbctl' show s1-2 routing --json | jq -r .unit)\" = $unit ]"
  decide "$unit: measured streams in order" undisturbed 100 replayed
  check "$unit: packets are conserved" fabric check counters
  check "$unit: down" fabric down
done

# The same load must disturb order where each packet is decided alone.
reordered() { drbgen replay "$scratch/traffic" --json >"$scratch/replay" && jq -e '.reordered > 0' "$scratch/replay"; }
up -l 3 -d 2 --unit packet --threshold 0 --queue 5000 --rate 1kpps
check "packet: measured streams out of order" reordered
check "packet: down" fabric down

up -l 3 -d 2 --rate 500pps --threshold auto
drbgen write -l 3 -d 2 --traffic stride:5 --load 0.8 --slot 2ms --slots 1000 --out "$scratch/load" >/dev/null
# Replays the traffic over and over, until $scratch/seen exists.
while [ ! -e "$scratch/seen" ]; do drbgen replay "$scratch/load" --json; done >"$scratch/replay" 2>&1 &
# shellcheck disable=SC2016
measured='map(select((.utilisation | tonumber) > 0.4 and (.utilisation | tonumber) < 1)) | length > 0 and
  all(.threshold_mode == "auto" and
    ((.threshold | tonumber) - (1 - (1 - (.utilisation | tonumber) | log)) | fabs) < 0.02)'
follows() { routing s1-2 | tee "$scratch/routing" | jq -se "$measured" || { cat "$scratch/routing" && false; }; }
falls_back() { routing s1-2 | jq -e '(.threshold | tonumber) < 1.2 and (.utilisation | tonumber) < 0.2'; }
check "utilisation is measured, T follows" soon follows
touch "$scratch/seen"
wait
check "and falls back when it is quiet" soon falls_back
check "differences are shown" sh -c "'$build/src/ctl/drbctl' show s1-2 differences --json | jq -se 'length > 0'"
check "down" fabric down

# Switches have two workers. The kernel spreads flows over the packet sockets of workers, and each
# worker spreads them over its memif rings.
drbgen write -l 3 -d 2 --traffic stride:5 --load 0.5 --slot 4ms --slots 500 --out "$scratch/traffic" >/dev/null
workers() { settled ping counters && drbctl show s1-2 worker --json | jq -e '.sleeps > 0 and .rx_packets > 0'; }
for way in packet,af_packet flow,memif; do
  up_over "${way#*,}" -l 3 -d 2 --workers 2 --unit "${way%,*}" --threshold auto
  decide "two workers, $way: pings, counters" undisturbed 200 workers
  decide "two workers, $way: measured streams" undisturbed 100 replayed_all
  check "two workers, $way: packets are conserved" fabric check counters
  check "down" fabric down
done
check "nothing is left" nothing_left
finish
