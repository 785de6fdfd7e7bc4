#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# topo/fabric check fails and names the fault if something is wrong.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl
need_tool fping jq
plan=/run/drbswitch/drb/plan.json

# finds PATTERN CHECK...: the checks end with status 1 and a complaint that matches
finds() {
  local pattern=$1 said status
  shift
  said=$(fabric check "$@" 2>&1)
  status=$?
  echo "$said"
  [ $status = 1 ] && grep -qE "^drbfabric: $pattern" <<<"$said"
}

# change_plan FILTER: makes the plan differ, as if switches were wired or named wrongly
change_plan() {
  cp $plan "$scratch/plan.json" && jq "$1" "$scratch/plan.json" >$plan
}

restore_plan() { cp "$scratch/plan.json" $plan; }

up -l 3 -d 2
well "all is well" wiring ping counters links

fabric exec h1 -- ip link set eth0 down
check "an unreachable host" finds 'h9 -> h1 \(10.0.0.2\): no answer' ping
check "from it nobody is reached either" finds 'h1 -> h2 ' ping
fabric exec h1 -- ip link set eth0 up
fabric exec h1 -- ip address replace fd00::2/64 dev eth0 nodad
# The first check waits until the switch has seen the carrier.
check "all is well again" fabric check wiring
well "and everybody is reached" ping

fabric exec s1-0 -- ip link set u0 down
check "a dead uplink" finds "s1-0: state of u0 is 'down', must be 'up'" wiring
decide "is passed by" undisturbed 200 fabric check ping
fabric exec s1-0 -- ip link set u0 up

check "two swapped cables" change_plan \
  '.links |= map(if .upper == "s2-3" then .upper_port |= (if . == "d0" then "d1" else "d0" end)
                 else . end)'
check "are found" finds "s2-3: peer of d0 is 's1-2.u1', must be 's1-3.u1'" wiring
restore_plan
check "a switch of another label" change_plan '(.switches[] | select(.name == "s3-1") | .label) = 2'
check "is found" finds 's3-1: label is 1, must be 2' wiring
restore_plan
well "all is well in the end"

# A restarted switch counts from zero again.
starts_again() { # starts_again SWITCH: restarts it as a supervisor would
  local config=/run/drbswitch/drb/$1.yaml
  kill -KILL "$(pid_of "$1")"
  sleep 0.2
  fabric exec "$1" -- "$build/src/switch/drbswitch" -c "$config" >/dev/null 2>&1 &
  soon fabric check wiring
}
check "a switch starts again" starts_again s2-1
well "all is well with it" ping counters links
check "its links are not compared" \
  sh -c "'$root/topo/fabric' check links 2>&1 | grep -q '^drbfabric: s2-1: restarted'"
check "down" fabric down

# Starting switches wait for each other and report neighbours that they do not hear.
up -l 2 -d 2 --rate 20000pps
fabric exec s1-0 -- ip link set u0 down
replans() { # replans SCHEME LINES PATTERN: prints LINES lines; one of them matches
  fabric replan --scheme "$1" >"$scratch/said" 2>&1
  cat "$scratch/said"
  [ "$(wc -l <"$scratch/said")" = "$2" ] && grep -qx "$3" "$scratch/said"
}
decide "ports that hear nobody after a start" undisturbed 200 replans dmodk 2 "drbfabric: switches do not hear each other on all \
links yet, 2 of their ports wait, s1-0.u0 among them: drbctl show s1-0 links"
fabric exec s1-0 -- ip link set u0 up
decide "nothing of it when all are heard" undisturbed 200 replans drb 1 '.*run the new plan.*'
check "down again" fabric down
check "nothing is left, nor of the one that started again" nothing_left
finish
