#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# In F(3,2), hosts of all 240 ordered pairs answer IPv4 and IPv6 pings without static neighbours,
# and every switch knows its position.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl
need_tool fping ping

static_neighbours() {
  local host
  for host in h0 h15; do
    fabric exec $host -- ip neigh show nud permanent | grep . && return 1
  done
  return 0
}

# pairs_answered FAMILY COUNT: reads the rows of check --json
pairs_answered() {
  grep "\"ping IPv$1\"" "$scratch/check" | grep -q "\"checked\": $2, \"failed\": 0"
}

up -l 3 -d 2
check "no static neighbours" static_neighbours
every_pair() {
  soon fabric check wiring && fabric check --json >"$scratch/check" && pairs_answered 4 240 && pairs_answered 6 240
}
decide "every pair answers, 240 over IPv4 and over IPv6, every view is right" undisturbed 200 every_pair
sed 's/^/# /' "$scratch/check"
# Pings run for 192 pairs at a time. All neighbours are flushed except those of the last 48 pairs.
forgotten() {
  local n known=0
  for n in {0..15}; do
    known=$((known + $(fabric exec "h$n" -- ip -6 neigh | grep -c "^fd00::.*lladdr")))
  done
  echo "$known entries"
  [ $known -ge 48 ] && [ $known -le 96 ]
}
check "neighbours of earlier waves are forgotten" forgotten
check "packets are conserved" fabric check counters links
check "a full frame passes at distance 3" \
  fabric exec h4 -- ping -c 3 -i 0.05 -W 2 -M 'do' -s 1472 10.0.0.11
check "an address outside the fabric does not answer" \
  fails_with 1 '' fabric exec h4 -- sh -c 'ping -c 1 -W 1 10.0.0.17 || { echo no >&2; exit 1; }'
fabric exec h4 -- ping -q -c 200 -i 0.005 10.0.0.11 | sed -n 's/^rtt/# 6-hop rtt/p'
check "status" fabric status
check "down" fabric down
check "nothing is left" nothing_left
finish
