#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# With `occupancy: ring` on memif links without a rate, two TCP streams that share a default uplink
# use both uplinks, and no ring refuses a packet. They carry at least 0.9 of their rate with
# `occupancy: queue`; both are measured in turns on the same fabric. DRB_THRESHOLD=T sets another
# threshold than the default.
# Alone: throughput is measured.
# Full: it measures for a minute; test_ring_load.c tests decisions by rings.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl
need_tool iperf3 jq sysctl
seconds=2 rounds=4


# in_force WHERE: both uplinks of s1-0 use this occupancy
in_force() {
  drbctl show s1-0 links --json | jq -s -e --arg occupancy "$1" \
    'map(select(.port | startswith("u")) | .occupancy == $occupancy) | length == 2 and all'
}

# by WHERE: every switch uses this occupancy from now on
by() {
  sed -i "s/occupancy: .*/occupancy: $1/" /run/drbswitch/drb/*.yaml && drbctl reload --all && in_force "$1"
}

# Samples queue and ring of the uplinks of s1-0 until the file is gone, and prints means.
look() { # look FILE
  while [ -e "$1" ]; do drbctl show s1-0 ports --json; done |
    jq -s 'map(select(.port | startswith("u"))) | group_by(.port) |
           map({mean: (map(.queue_packets + .ring_packets) | add / length), looks: length})'
}

refused() { drbctl show s1-0 worker --json | jq .tx_refused; }

# Two streams go to hosts 4 and 6, whose default uplink is u0.
streams() { # streams WHERE: prints a line of JSON
  local host before
  by "$1" >&2 || return
  for host in h4 h6; do
    ip netns exec drb-$host iperf3 -s -1 >/dev/null 2>&1 &
    soon listens $host >&2 || return
  done
  before=$(refused)
  : >"$scratch/looks"
  look "$scratch/looks" >"$scratch/rings" &
  fabric exec h0 -- iperf3 -J -c 10.0.0.5 -t $seconds >"$scratch/stream0" &
  local first=$!
  fabric exec h1 -- iperf3 -J -c 10.0.0.7 -t $seconds >"$scratch/stream1"
  wait $first
  rm "$scratch/looks"
  wait
  jq -n -c --arg occupancy "$1" --argjson refused $(($(refused) - before)) --slurpfile rings "$scratch/rings" \
    --slurpfile a "$scratch/stream0" --slurpfile b "$scratch/stream1" \
    '{$occupancy, $refused, rings: $rings[0],
      bps: ([$a[0], $b[0]] | map(.end.sum_received.bits_per_second) | add)}'
}

in_turns() {
  local i
  for ((i = 0; i < rounds; i++)); do
    streams queue && streams ring || return
  done | tee "$scratch/turns" &&
    jq -s 'group_by(.occupancy) | map({key: .[0].occupancy,
             value: {bps: (map(.bps) | add / length), refused: (map(.refused) | add),
                     u0: (map(.rings[0].mean) | add / length), u1: (map(.rings[1].mean) | add / length)}}) |
           from_entries' "$scratch/turns" >"$scratch/means"
}

# means FILTER: holds for one measurement, which several checks share; after a failure, the next
# check measures anew. On a busy machine, rings fill while their readers wait for a CPU.
means() {
  if [ -e "$scratch/measured" ] || { watched in_turns && touch "$scratch/measured"; }; then
    cat "$scratch/means"
    jq -e "$1" "$scratch/means" && return
  fi
  rm -f "$scratch/measured"
  if disturbed 40; then return "$cannot_tell"; fi
  return 1
}
# Each ring holds less than twice as much as the other, and no packet is refused. With `queue`, one
# ring holds more than twice as much.
balanced='.queue.u0 > 2 * .queue.u1 and .ring.u0 < 2 * .ring.u1 and .ring.u1 < 2 * .ring.u0 and .ring.refused == 0'

up -l 2 -d 2 --links memif --occupancy ring ${DRB_THRESHOLD:+--threshold "$DRB_THRESHOLD"}
# Limit the windows. The data under way of both streams then fit into two rings, but not into one;
# unlimited windows fill any number of rings.
for host in h4 h6; do fabric exec $host -- sysctl -qw net.ipv4.tcp_rmem="4096 131072 1000000"; done
check "both uplinks count their rings" in_force ring
check "hosts' ports, which cannot tell, count queues" \
  test "$(drbctl show s1-0 links --json | jq -r 'select(.port == "d0") | .occupancy')" = queue
decide "two streams by one default uplink fill both rings alike, none is refused" means "$balanced"
decide "they carry 0.9 of what they do with queues" means '.ring.bps >= 0.9 * .queue.bps'
jq -r 'to_entries[] | "# \(.key): \(.value.bps / 1e6 | round) Mbit/s, u0 holds \(.value.u0 | round) packets, u1 \(.value.u1 | round), \(.value.refused) refused"' \
  "$scratch/means"
check "drbctl path shows what waits in rings" \
  jq -s -e 'map(select(.port == "u0"))[0] | has("ring_packets") and (.others | test("^u1:[0-9]+[+][0-9]+$"))' \
  <(drbctl path h0 h4 --json)
check "packets are conserved" fabric check counters
check "down" fabric down
check "nothing is left" nothing_left
finish
