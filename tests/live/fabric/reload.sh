#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# All switches of a fabric reload over and over under measured traffic. No packet is lost, no
# neighbour regards a switch as dead, and flows stay in order as long as they are flows.
# Quiet: no packet may be lost.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl drbgen
need_tool jq

configs=/run/drbswitch/drb

# with ROUTING [LINK]: changes all configs so, and has all switches reload
with() {
  sed -i -e "s/^routing:.*/routing: {$1}/" -e "s/^link:.*/link: {${2:-}}/" $configs/s*.yaml
  drbctl reload --all >"$scratch/said" 2>&1 &&
    [ "$(grep -c ' reloaded: ' "$scratch/said")" = 20 ] || { cat "$scratch/said" && false; }
}

# all_say COLUMN VALUE: all switches report this value for routing
all_say() {
  drbctl show --all routing --json | jq -se --arg v "$2" "length == 20 and all(.$1 == \$v)"
}

# under_load NAME EXPECTATION ROUTING/LINK...: makes the changes while traffic runs, and then tests
# the report. Traffic ends two seconds after the last change, however long changes take.
# The check fails if a reload stops workers so long that packets are lost or that neighbours regard
# a switch as dead. It is only repeated if control processes got no CPU, either.
under_load() {
  decide "$1" undisturbed 100 changed_under_load "${@:2}"
}

changed_under_load() {
  local want=$1 change replay deaths rc=0
  shift
  deaths=$(taken_for_dead)
  "$build/src/gen/drbgen" replay "$scratch/traffic" --json >"$scratch/report" &
  replay=$!
  quiet_packets=$(fabric exec h3 -- cat /sys/class/net/eth0/statistics/rx_packets)
  soon traffic_runs >/dev/null
  for change in "$@"; do
    with "${change%/*}" "${change#*/}" || rc=1
    sleep 0.1
  done
  sleep 2
  kill -INT $replay || rc=1
  wait $replay
  cat "$scratch/report"
  echo "packets that met a dead neighbour before: $deaths, now: $(taken_for_dead)"
  jq -e "$want and .sent > 2000" "$scratch/report" && [ "$(taken_for_dead)" = "$deaths" ] && [ $rc = 0 ]
}

# Counts packets that made a detour around a dead neighbour, or found no path.
taken_for_dead() {
  { drbctl show --all routing --json && drbctl show --all drops --json; } |
    jq -s 'map((.detours_begun // 0) + (.no_route // 0) + (.port_down // 0)) | add'
}

# Traffic brings far more packets than hosts send on their own.
traffic_runs() { [ "$(fabric exec h3 -- cat /sys/class/net/eth0/statistics/rx_packets)" -gt $((quiet_packets + 50)) ]; }

drbgen write -l 3 -d 2 --traffic stride:5 --load 0.5 --slot 4ms --slots 30000 --out "$scratch/traffic" 2>/dev/null
up -l 3 -d 2
under_load "scheme, threshold, rate and queue: nothing lost" '.lost == 0 and .received == .sent' \
  'scheme: least/' 'threshold: auto/queue: 200, rate: 100Mbit' 'scheme: micro/queue: 400, rate: 20kpps' \
  'choices: 2, threshold: 0.5/rate: 2kpps' 'unit: flowlet, flow_max: 1000/' \
  'scheme: vlb, check_source: off/' 'scheme: walk/' 'scheme: drb, threshold: 7/'
check "the last of it is in force" all_say threshold 7
check "packets are conserved" fabric check counters
check "flows" with 'unit: flow, flow_max: 1000'
under_load "flows: nothing lost or reordered" '.lost == 0 and .reordered == 0' \
  'unit: flow, flow_max: 1000, scheme: vlb/' 'unit: flow, flow_max: 1000, scheme: ecmp/queue: 100' \
  'unit: flow, flow_max: 1000, flow_idle: 20s/rate: 20kpps'
check "the last of it is in force" all_say unit flow
sed -i 's/^routing:.*/routing: {scheme: best}/' $configs/s1-0.yaml
check "a mistake is named" fails_with 1 's1-0.yaml:[0-9]+: routing.scheme: "best"' drbctl reload s1-0
check "and changes nothing" all_say unit flow
well "every pair"
check "down" fabric down
check "nothing is left" nothing_left
finish
