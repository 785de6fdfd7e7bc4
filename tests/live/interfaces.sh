#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Interfaces that come later than the switch, go while it runs, and come again.
# Quiet: times are measured.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/story.bash"
need drbtopo drbswitch drbctl
need_tool jq fping

# make_host H SWITCH PORT: the link of a host, as the plan makes it
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

# A host that has asked for an address before its switch was at the interface asks again a second later: so
# each try asks anew.
answers() { # answers FROM TO
  ip -n "drb-h$1" neighbour flush dev eth0 nud all
  ip netns exec "drb-h$1" fping -q -r 0 -t 50 "10.0.0.$(($2 + 1))" 2>&1
}

# within MS COMMAND...: it succeeds so long after now
within() {
  local limit=$1 begin took
  begin=$(ms_now)
  soon "${@:2}" >/dev/null || return
  took=$(($(ms_now) - begin))
  echo "after $took ms"
  [ $took -le "$limit" ]
}

host_comes_again() { make_host 0 s1-0 d0 && within 1000 answers 0 5; }
link_comes_again() { make_link s1-0 u0 s2-0 d0 && within 1000 state_is s1-0 u0 up; }

for workers in 1 2; do
  up -l 2 -d 2 --workers $workers --rate 2000pps
  check "$workers workers: every pair" fabric check ping
  ip -n drb-s1-0 link delete d0
  check "$workers workers: a host's interface is gone" within 1500 state_is s1-0 d0 gone
  check "$workers workers: the log says so" \
    grep -q 'port d0: interface "d0" is gone: what is sent there is dropped' /run/drbswitch/drb/log/s1-0.log
  check "$workers workers: the switch says so" soon sh -c "'$build/src/ctl/drbctl' list | grep -q 'd0 down'"
  check "$workers workers: other hosts answer" answers 1 5
  for round in 1 2 3; do
    check "$workers workers: it comes again, $round" undisturbed 100 host_comes_again
    [ $round = 3 ] || ip -n drb-s1-0 link delete d0
  done
  ip -n drb-s1-0 link delete u0
  check "$workers workers: an uplink is gone" within 1500 state_is s2-0 d0 gone
  check "$workers workers: all hosts answer without it" soon fabric check ping
  check "$workers workers: it comes again" undisturbed 100 link_comes_again
  check "$workers workers: every pair answers" soon fabric check
  sed 's/^/# /' /run/drbswitch/drb/log/s1-0.log
  check "$workers workers: down" fabric down
done

# Links that are wired after the switch has started, as a container's are.
ip netns add late
cat >"$scratch/late.yaml" <<'END'
fabric: {layers: 2, arity: 1}
switch: {layer: 1, label: 0}
END
ip netns exec late "$build/src/switch/drbswitch" -c "$scratch/late.yaml" 2>"$scratch/late" &
late=$!
check "a switch without interfaces waits" \
  soon grep -q 'waiting up to 30 s for interface "d0" of port d0 and 1 others' "$scratch/late"
ip -n late link add d0 type veth peer name eth0
sleep 0.3
check "and for the last of them" kill -0 $late
ip -n late link add u0 type veth peer name far
check "then it forwards" within 1000 grep -q ' ready: ' "$scratch/late"
kill $late
wait $late
ip netns delete late
check "nothing is left" nothing_left
finish
