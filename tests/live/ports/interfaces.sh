#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Interfaces come later than the switch, disappear while it runs, and come again.
# Quiet: times are measured.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl
need_tool jq fping

# make_host H SWITCH PORT: makes the link of a host as the plan does
make_host() {
  ip -n "drb-$2" link add "$3" type veth peer name eth0 netns "drb-h$1" || return
  ip -n "drb-$2" link set "$3" addrgenmode none up
  ip -n "drb-h$1" link set eth0 address "02:00:00:00:00:0$1" addrgenmode none up
  ip -n "drb-h$1" address add "10.0.0.$(($1 + 1))/8" dev eth0
  ip -n "drb-h$1" address add "fd00::$(($1 + 1))/64" dev eth0 nodad
}

# make_link SWITCH PORT SWITCH PORT
make_link() {
  ip -n "drb-$1" link add "$2" type veth peer name "$4" netns "drb-$3" || return
  ip -n "drb-$1" link set "$2" addrgenmode none up
  ip -n "drb-$3" link set "$4" addrgenmode none up
}

ms_now() { echo $((${EPOCHREALTIME/[.,]/} / 1000)); }

state_is() { # state_is SWITCH PORT STATE
  drbctl show "$1" links --json | tee "$scratch/links" |
    jq -se --arg p "$2" --arg s "$3" 'any(.port == $p and .state == $s)' || { cat "$scratch/links" && false; }
}

# If a host asks for an address before its switch uses the interface, it asks again only a second
# later. Each try therefore makes it ask anew.
answers() { # answers FROM TO
  ip -n "drb-h$1" neighbour flush dev eth0 nud all
  ip netns exec "drb-h$1" fping -q -r 0 -t 50 "10.0.0.$(($2 + 1))" 2>&1
}

# within MS COMMAND...: the command succeeds within this time from now
within() {
  local limit=$1 begin took
  begin=$(ms_now)
  soon "${@:2}" >/dev/null || return
  took=$(($(ms_now) - begin))
  echo "after $took ms"
  [ $took -le "$limit" ]
}

# Each of these can be repeated: they first remove what exists, or make what is missing.
there() { ip -n drb-s1-0 link show dev "$1" >/dev/null 2>&1; }
delete() { ip -n drb-s1-0 link delete "$1"; }
host_goes() {
  there d0 || { make_host 0 s1-0 d0 && soon answers 0 5 >/dev/null; } || return
  delete d0 && within 1500 state_is s1-0 d0 gone
}
host_comes_again() {
  ! there d0 || { delete d0 && soon state_is s1-0 d0 gone >/dev/null; } || return
  make_host 0 s1-0 d0 && within 1000 answers 0 5
}
link_goes() {
  there u0 || { make_link s1-0 u0 s2-0 d0 && soon state_is s1-0 u0 up >/dev/null; } || return
  delete u0 && within 1500 state_is s2-0 d0 gone
}
link_comes_again() {
  ! there u0 || { delete u0 && soon state_is s1-0 u0 gone >/dev/null; } || return
  make_link s1-0 u0 s2-0 d0 && within 1000 state_is s1-0 u0 up
}

for workers in 1 2; do
  up -l 2 -d 2 --workers $workers --rate 2000pps
  well "$workers workers: every pair" ping
  decide "$workers workers: a host's interface is gone" undisturbed 100 host_goes
  check "$workers workers: the log says so" \
    grep -q 'port d0: interface "d0" is gone: packets to it are dropped' /run/drbswitch/drb/log/s1-0.log
  check "$workers workers: the switch says so" soon sh -c "'$build/src/ctl/drbctl' list | grep -q 'd0 down'"
  check "$workers workers: other hosts answer" soon answers 1 5
  for round in 1 2 3; do
    decide "$workers workers: it comes again, $round" undisturbed 100 host_comes_again
  done
  decide "$workers workers: an uplink is gone" undisturbed 100 link_goes
  check "$workers workers: all hosts answer without it" soon fabric check ping
  decide "$workers workers: it comes again" undisturbed 100 link_comes_again
  check "$workers workers: every pair answers" soon fabric check
  sed 's/^/# /' /run/drbswitch/drb/log/s1-0.log
  check "$workers workers: down" fabric down
done

# Links are connected after the switch has started, as a container's are.
cat >"$scratch/late.yaml" <<'END'
fabric: {layers: 2, arity: 1}
switch: {layer: 1, label: 0}
END
# waits_for_links: the switch waits for both links, and is ready within a second of the last one
waits_for_links() {
  ip -n late link delete d0 2>/dev/null
  ip -n late link delete u0 2>/dev/null
  ip netns exec late "$build/src/switch/drbswitch" -c "$scratch/late.yaml" 2>"$scratch/late" &
  local late=$! status
  soon grep 'waiting up to 30 s for interface "d0" of port d0 and 1 others' "$scratch/late" &&
    ip -n late link add d0 type veth peer name eth0 && sleep 0.3 && kill -0 $late && ! is_ready &&
    ip -n late link add u0 type veth peer name far && within 1000 is_ready
  status=$?
  kill $late
  wait $late
  return $status
}
is_ready() { grep ' ready: ' "$scratch/late"; }
ip netns add late
decide "a switch without interfaces waits for them" undisturbed 100 waits_for_links
ip netns delete late
check "nothing is left" nothing_left
finish
