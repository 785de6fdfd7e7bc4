#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests the generator's report in networks whose faults are known for each packet. Four hosts
# surround a relay that drops, doubles, misdirects and delays. Two hosts are joined by a cable,
# where only the receiver can lose packets.
# Quiet: no packet may be lost.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbgen
need_tool jq python3 ip

quiet() { # quiet NAMESPACE: lets no packets but ours appear
  ip netns exec "$1" sh -c 'echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6' && ip -n "$1" link set lo up
}

# report_says FILTER: holds for the report of all hosts
report_says() { cat "$scratch/report" && jq -es "map(select(.host == null or .host == \"all\"))[0] | $1" "$scratch/report"; }

# replay STATUS ARGUMENT...: the replay ends with this status; $scratch/report has the report
replay() {
  local want=$1
  shift
  drbgen replay "$@" --json >"$scratch/report"
  [ $? = "$want" ]
}

# Connects two hosts by a cable.
ip netns add cable-h0
ip netns add cable-h1
quiet cable-h0
quiet cable-h1
ip link add eth0 netns cable-h0 address 02:00:00:00:00:00 type veth \
  peer name eth0 netns cable-h1 address 02:00:00:00:00:01
for h in 0 1; do
  ip -n cable-h$h link set eth0 up
  ip -n cable-h$h address add 10.0.0.$((h + 1))/8 dev eth0
done
drbgen write -l 1 -d 1 --slots 400 --slot 2ms --out "$scratch/cable" 2>/dev/null
cable_is_measured() {
  replay 0 "$scratch/cable" --fabric cable &&
    report_says '.sent > 640 and .received == .sent and .lost == 0
      and .duplicated == 0 and .misdelivered == 0 and .reordered == 0 and .receiver_dropped == 0' &&
    # The cable takes no time, so latency is one slot, that of the host's own link.
    report_says '.latency_p50_slots > 1 and .latency_p50_slots < 1.05' &&
    report_says '(.offered_load - .achieved_load | fabs) < 0.01 and .offered_load > 0.8 and .offered_load < 1'
}
decide "cable: everything arrives, latency is one slot, loads are told" unhindered 20 25 cable_is_measured
jq -r '"# latency \(.latency_mean_slots) slots, generator late by up to \(.late_max_us) us"' \
  "$scratch/report"
some_slots() {
  replay 0 "$scratch/cable" --fabric cable --warmup 100 --stats 50 --slot 1ms &&
    report_says '.latency_samples > 70 and .latency_samples <= 100 and .slot_us == 1000'
}
decide "cable: some slots only" unhindered 100 25 some_slots

# A network does not lose packets because a receiver cannot keep up. Two packets are repeated.
head -c $((24 + 2 * (16 + 128))) "$scratch/cable/h0.pcap" >"$scratch/two.pcap"
full_receiver() {
  replay 1 "$scratch/two.pcap" --fabric cable --pps 100000 --loop 20000 --buffer 16 &&
    report_says '.sent == 40000 and .lost == 0
      and .receiver_dropped > 0 and .received + .receiver_dropped == .sent'
}
decide "full receiver: nothing is called lost" unhindered 100 25 full_receiver
decide "roomy receiver" unshared 25 replay 0 "$scratch/two.pcap" --fabric cable --pps 20000 --loop 10000

# Connects four hosts to the relay.
ip netns add relay
quiet relay
for h in 0 1 2 3; do
  ip netns add ring-h$h
  quiet ring-h$h
  ip link add eth0 netns ring-h$h address 02:00:00:00:00:0$h type veth peer name p$h netns relay
  ip -n ring-h$h link set eth0 up
  ip -n ring-h$h address add 10.0.0.$((h + 1))/8 dev eth0
  ip -n relay link set p$h up promisc on
done
drbgen write -l 1 -d 2 --slots 800 --slot 3ms --traffic fixed --out "$scratch/ring" 2>/dev/null

# relayed: the report agrees with the relay's own counts
relayed() {
  local relay wrong
  ip netns exec relay python3 -B "$root/tests/live/traffic/relay.py" 4 >"$scratch/relay" &
  relay=$!
  soon grep -q ready "$scratch/relay" && replay 1 "$scratch/ring" --fabric ring --drain 1s || return
  kill $relay
  wait $relay
  jq -sc '.[0] + {relay: .[1]}' "$scratch/report" <(tail -n 1 "$scratch/relay") >"$scratch/joined"
  cat "$scratch/joined"
  wrong=$(jq -r 'def claim(what; holds): if holds then empty else "wrong: " + what end;
    claim("faults of all kinds"; .relay | .dropped > 30 and .doubled > 30 and .misdirected > 20 and .overtaken > 30),
    claim("sent"; .sent == .relay.seen),
    claim("lost"; .lost == .relay.dropped + .relay.misdirected),
    claim("duplicated"; .duplicated == .relay.doubled),
    claim("misdelivered"; .misdelivered == .relay.misdirected),
    claim("reordered"; .reordered == .relay.overtaken),
    claim("counts add up"; .sent + .duplicated + .misdelivered == .received + .lost)' "$scratch/joined") || return
  [ -z "$wrong" ] || { echo "$wrong" && false; }
}
decide "relay: lost, duplicated, misdelivered, reordered are what it did" unhindered 100 25 relayed
echo "# $(jq -c .relay "$scratch/joined")"
finish
