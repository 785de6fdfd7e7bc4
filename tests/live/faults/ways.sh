#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests which path packets take. drbctl path computes it by the decision core and the switches'
# state, also around dead switches.
# Full: paths around dead switches take long; test_views.py tests drbctl path.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
# drbctl trace observes the path of real packets.
need drbtopo drbswitch drbctl
need_tool jq fping

up -l 3 -d 2 --scheme dmodk

# every_pair_without SWITCH: each path ends at its host, over ports that are up, avoiding the switch
every_pair_without() {
  local from to
  for from in 0 5; do
    for to in {0..15}; do
      [ $from != "$to" ] || continue
      drbctl path h$from h"$to" --json 2>/dev/null >"$scratch/path" || { echo "h$from to h$to: none" && return 1; }
      jq -es --arg to "h$to.eth0" --arg no "$1" \
        'last.to == $to and all(.[]; .state == "up" and .switch != $no) and length <= 11' "$scratch/path" >/dev/null ||
        { echo "h$from to h$to:" && cat "$scratch/path" && return 1; }
    done
  done
}
uncertain() { drbctl path h0 "$1" --json 2>/dev/null | jq -es 'any(.[]; .certain | not)'; }

check "ways of every pair" every_pair_without nobody
check "as D-mod-k has them" bash -c "'$build/src/ctl/drbctl' path h0 h15 --json | jq -es 'all(.[]; .certain) and length == 5'"
# One of a pod's two middle switches stops: packets for it take the other half of the core.
check "a switch of the middle layer is stopped" fabric stop s2-7
check "no way leads over it" soon every_pair_without s2-7
check "some are not the default's" uncertain h15
check "packets arrive by them" soon fabric exec h0 -- fping -q 10.0.0.16
check "it is started" fabric start s2-7
check "ways are as before" soon bash -c "'$build/src/ctl/drbctl' path h0 h15 --json | jq -es 'all(.[]; .certain) and length == 5'"
check "a core switch is stopped" fabric stop s3-1
check "no way leads over that" soon every_pair_without s3-1
check "it is started, too" fabric start s3-1
check "ways are as before again" soon bash -c "'$build/src/ctl/drbctl' path h0 h15 --json | jq -es 'all(.[]; .certain) and length == 5'"

packets=200
# trace ARGUMENT...: traces packets that h0 sends meanwhile
trace() {
  fabric exec h0 -- ping -q -i 0.01 -w 60 -c $packets 10.0.0.16 >/dev/null &
  local sender=$!
  drbctl trace h0 h15 --time 30s "$@" --json >"$scratch/trace"
  local status=$?
  kill $sender 2>/dev/null
  wait $sender
  return $status
}
traced() { jq -c . "$scratch/trace" && jq -es "$1" "$scratch/trace"; }
# Switches stop watching one after another, so some may miss packets that are under way then.
one_way() {
  trace --count 100 &&
    traced 'length == 5 and all(.[]; .packets >= 90 and .packets <= 110 and .queue_packets_max >= 1)'
}
decide "packets are watched, and all take one way" undisturbed 50 one_way
check "which is that of drbctl path" test "$(jq -c '[.switch, .port]' "$scratch/trace")" = \
  "$(drbctl path h0 h15 --json | jq -c '[.switch, .port]')"
check "up by default, then down" traced 'map(.way) == ["default", "default", "down", "down", "down"]'
check "a flow that nobody sends" fails_with 1 'no IPv4 packet of this flow from h0 to h15 .*give -6 here.* topo/fabric exec h0 -- ping -4 h15' \
  drbctl trace h0 h15 tcp:1:2 --time 100ms
check "nothing of either version" fails_with 1 'no IPv4 or IPv6 packet from h0 to h14 .* topo/fabric exec h0 -- ping h14' \
  drbctl trace h0 h14 --time 100ms
check "the version of a way is said" fails_with 0 'IPv4 10.0.0.1 to 10.0.0.16; icmpv6 -6 for IPv6$' drbctl path h0 h15 icmp
check "the other, too" fails_with 0 'IPv6 fd00::1 to fd00::10$' drbctl path h0 h15 -6
check "a flow that somebody does" trace icmp --count 20
check "in the other version of IP nobody" bash -c "! '$build/src/ctl/drbctl' trace h0 h15 -6 --time 100ms"
# Another capture runs at the first switch, so shares would be undefined.
captured_by_another() {
  "$build/src/ctl/drbctl" capture s1-0 -w /dev/null 2>"$scratch/said" &
  local capture=$!
  soon grep -q 'capturing at' "$scratch/said" >/dev/null
  fails_with 1 '^drbctl: s1-0: another capture of this switch is running: end it first$' drbctl trace h0 h15 --time 100ms
  local status=$?
  kill -INT $capture
  wait $capture
  return $status
}
check "a switch that another captures at is named" captured_by_another
check "another scheme" drbctl set --all scheme=vlb
spread() {
  trace --count 150 && traced 'map(select(.way == "redirected") | .packets) | add > 50' &&
    traced '(map(select(.to == "h15.eth0") | .packets) | add) as $there |
      (map(select(.switch == "s1-0") | .packets) | add) as $sent | $sent - $there | -8 <= . and . <= 8'
}
decide "its packets are watched, spread, and all come to their host" undisturbed 50 spread
check "a switch of the middle layer is stopped again" fabric stop s2-7
check "no way leads over it again" soon every_pair_without s2-7
# Once all switches know of the dead switch, there are no more detours.
around() {
  trace --count 100 &&
    traced 'all(.[]; (.to | startswith("s2-7") | not) and .way != "detour") and (map(.switch) | unique | length) >= 5'
}
check "none goes there, nor on a detour" soon around
# A dead switch and a hung one cannot be watched. The others are, after one wait for both.
beside_dead() {
  kill -9 "$(pid_of s3-1)"
  fabric pause s3-3
  trace --count 100 2>"$scratch/said"
  local status=$?
  fabric resume s3-3
  cat "$scratch/said"
  [ $status = 1 ] && [ "$(grep -c '^drbctl: drb-s' "$scratch/said")" = 2 ] &&
    grep -q '^drbctl: drb-s3-1: dead, killed' "$scratch/said" &&
    grep -q '^drbctl: drb-s3-3: hung, answers nothing' "$scratch/said" && traced 'any(.[]; .to == "h15.eth0")'
}
check "a dead and a hung switch are named, the others watched" beside_dead
# s2-7 was stopped and s3-1 was killed. A drained link is calm.
emphasised() {
  drbctl drain s1-2.u0 && drbctl list --color always >"$scratch/list"
  local bad=$'\033\\[1;31m'
  cat -v "$scratch/list"
  drbctl undrain s1-2.u0
  grep -qE "s3-1 .*${bad}dead .*${bad}killed" "$scratch/list" && grep -qE 's2-7 .* stopped ' "$scratch/list" &&
    grep -qE "s2-1 .* running .*${bad}u0 down" "$scratch/list" && grep -E 's1-2 .* running .*u0 drained' "$scratch/list" >"$scratch/calm" &&
    ! grep -q $'\033' "$scratch/calm"
}
check "list has what is wrong bold and red, and nothing else" emphasised
check "down" fabric down
# The suggested command to send packets suits another fabric, too.
up -l 1 -d 2 --fabric lab
check "nothing in another fabric" fails_with 1 'such as topo/fabric exec --fabric lab h0 -- ping h1$' \
  drbctl trace --fabric lab h0 h1 --time 100ms
check "which that shows" bash -c "'$root/topo/fabric' exec --fabric lab h0 -- ping -c 5 h1 >/dev/null &
  '$build/src/ctl/drbctl' trace --fabric lab h0 h1 --count 1 --time 20s; status=\$?; wait; exit \$status"
check "the other is down, too" fabric down --fabric lab
check "nothing is left" nothing_left
finish
