#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs switches under ThreadSanitizer, then under AddressSanitizer. They have two workers each,
# forward traffic, and get every order meanwhile. No sanitizer may report anything.
# Quiet: its programs are built while other stories run.
# Full: the sanitizers' builds take long.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbctl
need_tool iperf3 jq ping
for folder in build-tsan build-asan; do
  [ -x "$root/$folder/src/switch/drbswitch" ] || cannot_run "$folder/src/switch/drbswitch is not built; tests/run.sh --full builds it"
done

# watched_by NAME FOLDER: uses the switches of this build from now on, and all other programs as
# before
watched_by() {
  export DRB_BUILD=$scratch/$1
  mkdir -p "$DRB_BUILD/src" "$scratch/reports"
  chmod 1777 "$scratch/reports" # a switch may become another user
  ln -s "$build"/src/{plan,ctl,gen} "$root/$2/src/switch" "$DRB_BUILD/src"
  export TSAN_OPTIONS="log_path=$scratch/reports/of halt_on_error=0 history_size=7 suppressions=$root/tests/live/faults/sanitized.supp"
  export ASAN_OPTIONS="log_path=$scratch/reports/of halt_on_error=1 detect_leaks=1"
  export UBSAN_OPTIONS="log_path=$scratch/reports/of halt_on_error=1 print_stacktrace=1"
}

# Reports are files, except those of UndefinedBehaviorSanitizer, which are in the switch's log.
nothing_to_report() {
  ! cat "$scratch"/reports/* 2>/dev/null
}
nothing_said() {
  ! fabric logs -n 10000 | grep -E -A 20 'Sanitizer|runtime error:'
}

# Traffic runs between all racks over IPv4 and IPv6, and includes a TCP stream.
begin_traffic() {
  local h to
  for h in {0..7}; do
    to=$(((h + 3) % 8))
    ip netns exec "drb-h$h" ping -q -f -s 200 "10.0.0.$((to + 1))" >/dev/null 2>&1 &
    ip netns exec "drb-h$h" ping -q -i 0.01 "fd00::$((to + 1))" >/dev/null 2>&1 &
  done
  ip netns exec drb-h5 iperf3 -s -1 >/dev/null 2>&1 &
  soon ip netns exec drb-h0 iperf3 -c 10.0.0.6 -b 4M -t 60 >/dev/null 2>&1 &
}
end_traffic() {
  # shellcheck disable=SC2046 # splitting is intended
  kill $(jobs -p) 2>/dev/null
  wait
}

seen() { drbctl show --all ports --json | jq -se 'map(.in_packets) | add > 20000'; }
# Captures packets of a port: first a given number, then until the reader ends.
captures() {
  drbctl capture "$1" --count 50 -w "$scratch/captured" || return
  timeout -s INT 1 "$build/src/ctl/drbctl" capture "$1" -w "$scratch/captured" || [ $? = 124 ]
}

# all_that_may_come NAME DRIVER [OPTION OF up...]
all_that_may_come() {
  local of="$1, $2"
  up_over "$2" -l 2 -d 2 --workers 2 --flow-max 10000 "${@:3}"
  check "$of: links" soon usable 24
  begin_traffic
  check "$of: orders" orders
  check "$of: a capture" captures s1-0
  if [ "$2" != memif ]; then
    check "$of: a link goes" fabric cut s1-0.u0
    check "$of: it is missed" soon usable 22
    check "$of: and comes" fabric mend s1-0.u0
    check "$of: it is there" soon usable 24
  fi
  check "$of: a switch is drained" drbctl drain s2-1
  check "$of: while a capture runs" captures s2-0
  check "$of: and back" drbctl undrain s2-1
  check "$of: a neighbour dies" kill -KILL "$(pid_of s2-1)"
  check "$of: it is missed, too" soon usable 16
  check "$of: and comes again" fabric restart s2-1
  check "$of: all links are there" soon usable 24
  check "$of: counters" soon drbctl check
  check "$of: packets were forwarded" soon seen
  check "$of: nothing is said" nothing_said
  check "$of: down" fabric down
  end_traffic
  check "$of: nothing to report" nothing_to_report
  rm -f "$scratch"/reports/*
}
# A worker may take long to reply, as it is watched and its host is flooded.
orders() {
  local order
  for order in threshold=auto scheme=walk scheme=least unit=flow scheme=ecmp unit=flowlet scheme=drb; do
    soon drbctl set --all $order || return
    soon drbctl metrics >"$scratch/metrics" || return
    soon drbctl show --all worker || return
  done
  soon drbctl reload --all
}

watched_by thread build-tsan
all_that_may_come thread af_packet --rate 20000pps
all_that_may_come thread memif
watched_by address build-asan
all_that_may_come address af_packet --rate 20000pps
all_that_may_come address memif
check "nothing is left" nothing_left
finish
