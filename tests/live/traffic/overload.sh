#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Offers twice the load of links to switches with the fewest buffers they may have. Queues fill up,
# and packets that find a queue full are dropped as queue_full. No other packets are dropped, and
# buffers never run out. After the load, every switch is as before and has all its buffers.
# Quiet: rates are compared.
# Full: queues of whole fabrics fill up; test_egress_queue.c tests full queues.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl drbgen
need_tool jq

now_ms() { echo $(($(date +%s%N) / 1000000)); }
sum() { drbctl show --all "$1" --json | jq -s "map($2) | add"; } # sum VIEW KEYS
report_says() { cat "$scratch/report" && jq -e "$1" "$scratch/report"; }

# at_rest: all queues are empty, and every buffer is free
at_rest() {
  drbctl show --all worker --json | jq -se 'length == 20 and all(.buffers > 0 and .buffers_free == .buffers)' &&
    [ "$(sum ports .queue_packets)" = 0 ]
}

# offered: offers the load, while `drbctl watch` runs and buffers are sampled. Half of it arrives,
# apart from packets lost because a switch woke late. Lost packets found a queue full, and watch
# names the full links as hot spots.
offered() {
  local replay watch full
  full=$(sum drops .queue_full)
  "$build/src/gen/drbgen" replay "$scratch/traffic" --json >"$scratch/report" 2>/dev/null &
  replay=$!
  "$build/src/ctl/drbctl" watch -i 1s >"$scratch/watch" &
  watch=$!
  while kill -0 $replay 2>/dev/null; do
    drbctl show --all worker --json
    sleep 0.05
  done >"$scratch/workers"
  kill $watch
  wait $replay $watch
  full=$(($(sum drops .queue_full) - full))
  report_says ".received + .machine_lost > 0.35 * .sent and .received < 0.75 * .sent and .lost <= $full" || return
  cat "$scratch/watch"
  grep -qE '^hot spots: s[0-9.-]+[ud][0-9] (is full|sends at)' "$scratch/watch"
}

# Hosts send 125 packets/s each, a load of 0.5 in slots of 4 ms. Links carry half of that.
drbgen write -l 3 -d 2 --traffic stride:5 --load 0.5 --slot 4ms --slots 1000 --out "$scratch/traffic" 2>/dev/null
up -l 3 -d 2 --rate 62pps --queue 20
check "all buffers are free" soon at_rest
# A generator that wakes late sends bursts that exceed the queues, which hold a third of a second.
decide "overload: half gets through, what is lost found a queue full, watch names hot spots" unhindered 100 25 offered
begun=$(now_ms)
check "overload: all queues run empty, every buffer is back" soon at_rest
echo "# overload: over after $(($(now_ms) - begun)) ms"
jq -r '"# overload 2x: \(.lost) of \(.sent) packets lost"' "$scratch/report"
jq -rs '"# overload: at least \(map(.buffers_free) | min) of \(.[0].buffers) buffers were free, \(length) looks"' \
  "$scratch/workers"
check "overload: queues were full" \
  test "$(drbctl show --all ports --json | jq -s 'map(select(.queue_max_packets == 20)) | length')" -ge 16
check "overload: buffers never ran out" jq -se 'length > 20 and all(.buffers_free > 0)' "$scratch/workers"
check "overload: packets are conserved" drbctl check
sed -i 's/rate: *62pps/rate: none/' /run/drbswitch/drb/s*.yaml
check "overload: the links get fast" drbctl reload --all
begun=$(now_ms)
well "overload: every pair"
echo "# overload: every pair reached every other within $(($(now_ms) - begun)) ms"
check "all buffers are free in the end" soon at_rest
check "down" fabric down
finish
