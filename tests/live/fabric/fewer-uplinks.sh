#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests an oversubscribed fabric: F(2,4) with 2 uplinks for the 4 hosts of a rack. It is as planned,
# and packets take the paths that the simulator reports. A switch with a wrong number of uplinks and
# a wrong key are both named.
# Alone: latencies of packets are compared with the simulator's.
# Full: it compares latencies; shapes.sh brings up other sizes.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbgen drbctl drbsim
need_tool jq fping

nodes() { drbtopo list "$1" -l "$2" -d "$3" --uplinks "$4" --json | jq -s length; }
check "F(3,2) with 1 uplink: 14 switches of 20" test "$(nodes switches 3 2 1)" = 14
check "and 32 links of 48" test "$(nodes links 3 2 1)" = 32
check "more uplinks than down-ports" fails_with 2 'uplinks 3: a switch of layer 1 of F\(3,2\) has at most' \
  drbtopo list links --uplinks 3
check "the same in a config" fails_with 2 'fabric.uplinks: a switch of layer 1 of F\(2,2\) has at most' bash -c "
  echo '{fabric: {layers: 2, arity: 2, uplinks: 3}, switch: {layer: 1, label: 0}}' >'$scratch/wrong.yaml' &&
  '$build/src/switch/drbswitch' -c '$scratch/wrong.yaml' --check"

up -l 2 -d 4 --uplinks 2 --rate 500pps --scheme dmodk
check "10 switches" test "$(drbctl list --json | jq -s 'map(select(.state == "running")) | length')" = 10
well "wiring, every pair, counters, links"

# Layer 1's default uplink is h_1 mod 2: h0 sends to h31 = (7,3) over u1, and to h30 = (7,2) over
# u0.
way() { drbctl path h0 "h$1" --json | jq -rs 'map("\(.switch).\(.port)") | join(" ")'; }
check "the way to h31" test "$(way 31)" = "s1-0.u1 s2-1.d7 s1-7.d3"
check "the way to h30" test "$(way 30)" = "s1-0.u0 s2-0.d7 s1-7.d2"

# The counters of the uplinks show the path of packets from the rack to h31.
up_packets() { drbctl show s1-0 ports --json | jq -rs "map(select(.port == \"$1\"))[0].out_packets"; }
before=$(up_packets u1)
fabric exec h0 -- fping -q -c 20 -p 20 10.0.0.32 >/dev/null 2>&1
check "they took it" test $(($(up_packets u1) - before)) -ge 20

# At a load below uplinks / down-ports, nothing is lost.
drbgen write -l 2 -d 4 --load 0.4 --slot 2ms --slots 1500 --out "$scratch/traffic" >/dev/null
check "reload to drb" fabric replan --scheme drb --threshold 2
check "a permutation at load 0.4" bash -c "
  '$build/src/gen/drbgen' replay '$scratch/traffic' --json >'$scratch/report' &&
  jq -e '.lost == 0 and .duplicated == 0 and .misdelivered == 0' '$scratch/report'"
check "counters still agree" fabric check counters links

# A rack still has its other uplink when a core switch stops.
check "of two core switches one is stopped" fabric stop s2-1
check "every pair answers by the other" soon fabric check ping
check "it is started" fabric start s2-1
check "all is as planned again" soon fabric check wiring

# Neighbours name a switch whose config has another number of uplinks.
config=/run/drbswitch/drb/s1-0.yaml
check "s1-0 stops" fabric stop s1-0
sed -i 's/uplinks: 2/uplinks: 1/' $config
check "it starts with one uplink" fabric start s1-0
miswired() { drbctl show s2-0 links --json | jq -es 'any(.[]; .port == "d0" and .state == "miswired")'; }
check "which is named" soon miswired
finds() { fabric check wiring 2>&1 | tee /dev/stderr | grep -qx 'drbfabric: s1-0: uplinks is 1, must be 2'; }
check "by fabric check, too" finds
check "down" fabric down
check "nothing is left" nothing_left

# Live latencies equal the simulator's.
"$root/lab/run" experiment -l 2 -d 4 --uplinks 2 --load 0.4 --scheme drb,dmodk --runs 3 --slots 600 --repeat 1 --stretch 2 \
  --json --out "$scratch/experiment" >"$scratch/rows"
# Status 1 means that packets were lost, which a check below tests.
check "an experiment" test $? -le 1
row_says() { jq -es "map(select(.scheme == \"$1\")) | length > 0 and all(.[]; $2)" "$scratch/rows"; }
for scheme in drb dmodk; do
  jq -r "select(.scheme == \"$scheme\") | \"# $scheme: mean \(.latency) simulated \(.sim_latency)\"" "$scratch/rows"
  if row_says $scheme true >/dev/null && ! row_says $scheme '.disturbed == 0' >/dev/null; then
    undecided "$scheme: live is simulated" "no run was undisturbed, not with slots of 8 ms either"
    continue
  fi
  check "$scheme: nothing is lost" row_says $scheme '.lost == 0'
  check "$scheme: live is simulated" row_says $scheme '[.growing, .sim_growing] == [false, false] and .within'
done
finish
