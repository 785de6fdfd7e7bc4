#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A hostile host at one port sends as fast as the machine can, also GSO packets whose segments have
# one byte. Other hosts lose less than 1 % of a load of 10 %, and their round trips take less than
# three times as long as in an idle fabric. No forged frame arrives anywhere; neighbour tables and
# links do not change. If that fails, a flood outside the fabric tells whether the machine is too
# busy. test_attack.py tests each rule, frame by frame.
# Alone: it takes every CPU.
# Full: it floods for a minute; test_attack.py tests every rule.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl
need_tool gcc jq ping

attack=$scratch/attack-host
gcc -O2 -D_GNU_SOURCE -o "$attack" "$root/tests/live/security/attack.c" || cannot_run "gcc does not compile attack.c"

# Frames have 125 bytes on the wire; 100 a second are 10 % of 1 Mbit/s.
paced=(ping -q -i 0.01 -s 59 -c 200 -W 1)
pairs="near far"

# pings NAME: "near" is a pair with a host at the hostile host's switch, "far" one with a host at
# the switch of the flooded host. Results are in $scratch/NAME.near and $scratch/NAME.far.
pings() {
  ip netns exec drb-h1 "${paced[@]}" 10.0.0.7 >"$scratch/$1.near" &
  local near=$!
  ip netns exec drb-h8 "${paced[@]}" 10.0.0.15 >"$scratch/$1.far"
  wait $near
}
# lost NAME.PAIR: prints the loss in per cent
lost() { awk '/transmitted/ { print 100 * (1 - $4 / $1) }' "$scratch/$1"; }
# trip NAME.PAIR: prints the mean round trip in ms
trip() { awk -F/ '/^rtt/ { t = $5 } END { print t ? t : 1e9 }' "$scratch/$1"; }
# least NAME.PAIR: prints the shortest round trip in ms
least() { awk -F'[=/ ]+' '/^rtt/ { t = $6 } END { print t ? t : 0 }' "$scratch/$1"; }
below() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a < b) }'; }
times() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }

# flood NAME KIND NAMESPACE: pings beside a flood that began a second earlier
flood() {
  local sender
  ip netns exec "$3" "$attack" send eth0 "$2" 60 >"$scratch/$1.rate" &
  sender=$!
  sleep 1
  pings "$1"
  kill $sender
  wait $sender
}
told() { # told NAME: prints its results
  local pair
  printf '%s: %s frames/s;' "$1" "$(cat "$scratch/$1.rate")"
  for pair in $pairs; do
    printf ' %s: %s %% lost, %s ms, %s times idle;' "$pair" "$(lost "$1.$pair")" "$(trip "$1.$pair")" \
      "$(times "$(trip "$1.$pair")" "$(least "idle.$pair")")"
  done
  echo
}

# unharmed KIND: loss and round trips are within limits for both pairs. If not, the control decides:
# a flood with as much CPU time, but outside the fabric. The machine causes what the control causes,
# too.
unharmed() {
  local pair status=0
  watched flood attack "$1" drb-h0
  told attack | tee -a "$scratch/figures"
  for pair in $pairs; do
    below "$(lost attack.$pair)" 1 && below "$(trip attack.$pair)" "$(bound $pair)" || status=$cannot_tell
  done
  [ $status != 0 ] || return 0
  flood control one out0
  for pair in $pairs; do
    if ! below "$(lost attack.$pair)" 1 && below "$(lost control.$pair)" 1; then status=1; fi
    if ! below "$(trip attack.$pair)" "$(bound $pair)"; then
      if below "$(trip control.$pair)" "$(bound $pair)"; then status=1; fi
    fi
  done
  told control | tee -a "$scratch/figures"
  # Other work may have run during only one of the two. The flood's own two processes keep no
  # process waiting so long.
  if [ $status = 1 ] && disturbed 20; then status=$cannot_tell; fi
  return $status
}
bound() { awk -v t="$(least "idle.$1")" 'BEGIN { print 3 * t }'; }

# dropped NAME: drops of this reason at the hostile host's switch so far
dropped() { drbctl show s1-0 drops --json | jq -s "map(.$1 // 0) | add"; }
# grew NAME...: each of these reasons has more drops than in $scratch/drops
grew() {
  local name
  drbctl show s1-0 drops --json | tee "$scratch/drops.now"
  for name in "$@"; do
    jq -se ".[1].$name > .[0].$name" "$scratch/drops" "$scratch/drops.now" || return
  done
}
neighbours() { # neighbours: prints HOST ADDRESS MAC of all other hosts
  local host
  for host in {1..15}; do
    ip -n drb-h$host neigh show | awk -v host=h$host '/lladdr/ { print host, $1, $5 }'
  done | sort
}
# acquainted: hosts have the entries that are forged, and those that they need to answer h0
acquainted() {
  local host
  for host in {1..15}; do ip netns exec drb-h0 ping -q -c 1 -W 2 10.0.0.$((host + 1)) || return; done
  for host in 1 15; do
    ip netns exec drb-h$host ping -q -c 1 -W 2 10.0.0.10 && ip netns exec drb-h$host ping -q -c 1 -W 2 fd00::a || return
  done
}
same_neighbours() { neighbours >"$scratch/neighbours.now" && diff "$scratch/neighbours" "$scratch/neighbours.now"; }
# The kernel drops entries that were unused for a minute. Keep them, since no attack may remove
# them.
keep_neighbours() {
  local host ip
  for host in {1..15}; do
    for ip in ipv4 ipv6; do
      ip netns exec drb-h$host sh -c "echo 86400 >/proc/sys/net/$ip/neigh/eth0/gc_stale_time" || return
    done
  done
}
untroubled() {
  drbctl list --json && drbctl show --all links --json | jq -se 'all(.state == "up" or .state == "unknown")' &&
    drbctl list --json | jq -se 'length == 20 and all(.switch == "s1-0" or .trouble == "")'
}
other_neighbours() { ! same_neighbours; }
watch() { # watch: counts marked frames at all other hosts
  local host
  watchers=()
  for host in {1..15}; do
    ip netns exec drb-h$host "$attack" watch eth0 >"$scratch/watch.$host" &
    watchers+=($!)
  done
  for host in {1..15}; do soon grep -q ready "$scratch/watch.$host" >/dev/null; done
}
# unwatch: ends the counting; call it outside a subshell, which could not wait
unwatch() {
  kill "${watchers[@]}"
  wait "${watchers[@]}"
}
seen() { # seen: prints the number of marked frames at all hosts
  awk '!/ready/ { n += $1; told++ } END { print told == 15 ? n : "not all have told" }' "$scratch"/watch.*
}

# In the control's world, a receiving process replaces the switch.
ip netns add out0
ip netns add out1
ip link add eth0 netns out0 up type veth peer name eth0 netns out1
ip -n out1 link set eth0 up
ip netns exec out1 "$attack" take eth0 &

declare -A drops=([one]=over_rate [flows]=over_rate [segments]=over_rate
  [sources]="spoofed_source spoofed_ip spoofed_mark" [neighbours]=spoofed_neighbour [control]="hello_from_host multicast")
for unit in packet flow; do
  # A host may send a burst ahead of its link. After a flood's first second, the burst is used and
  # carried.
  up -l 3 -d 2 --rate 1Mbit --host-burst 8 --unit $unit
  well "$unit: every pair" ping
  pings idle
  check "$unit: hosts remember each other" keep_neighbours
  check "$unit: hosts know each other" acquainted
  neighbours >"$scratch/neighbours"
  watch
  for pair in $pairs; do echo "# $unit, idle: $pair $(trip idle.$pair) ms, at least $(least idle.$pair) ms"; done
  for kind in one flows segments sources neighbours control; do
    drbctl show s1-0 drops --json >"$scratch/drops"
    : >"$scratch/figures"
    decide "$unit, $kind: others lose less than 1 %, and wait less than three times as long" unharmed $kind
    sed 's/^/# /' "$scratch/figures"
    # shellcheck disable=SC2086
    check "$unit, $kind: dropped by name, ${drops[$kind]}" grew ${drops[$kind]}
  done
  unwatch
  check "$unit: nothing that lies arrived anywhere" test "$(seen)" = 0
  # If a flood outlasted a host's probe of h0, that host has no entry of h0 until it needs one
  # again.
  check "$unit: hosts still know each other" acquainted
  check "$unit: neighbour tables are as before" same_neighbours
  check "$unit: all links are up, and no other switch has trouble" untroubled
  check "$unit: packets are conserved" drbctl check
  [ $unit = flow ] || check "$unit: down" fabric down
done

# The same frames arrive if no switch checks them.
watch
check "without the rule" fabric replan --check-source off
ip netns exec drb-h0 "$attack" send eth0 neighbours 1 >/dev/null
unwatch
check "they arrive" test "$(seen)" -gt 0
check "and neighbour tables are others" other_neighbours
check "down" fabric down
finish
