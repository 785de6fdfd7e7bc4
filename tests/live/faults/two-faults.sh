#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Faults that detours by what one switch sees do not get around: two switches, a switch and a link, three links,
# at once, under fixed streams at load 0.2. Switches tell each other of them in hellos: nothing is lost later
# than 2 s after.
# Alone: how long it takes to heal is measured.
# Full: chaos.sh draws such faults, test_detour_rules.c has all pairs of links.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl
need_tool jq python3

slot_ms=10 # load 0.2 on links of 250 packets/s: what is left of them carries it
within_ms=2000

pid_of() { drbctl list --json | jq -r "select(.switch == \"$1\") | .pid"; }

killed() { # killed SWITCH...: the command that does it
  local switch pids=
  for switch in "$@"; do pids+=" $(pid_of "$switch")"; done
  echo "kill -KILL$pids"
}

started() { # started SWITCH...: the command that starts them again
  local switch
  for switch in "$@"; do
    echo -n "'$root/topo/fabric' exec $switch -- '$build/src/switch/drbswitch' -c /run/drbswitch/drb/$switch.yaml & "
  done
  echo wait
}

links() { # links up|down SWITCH.PORT...: the command that does it
  echo "'$build/src/ctl/drbctl' $*"
}

usable() { # usable COUNT: so many ports of all switches are, soon
  soon usable_now "$1" || { drbctl list && false; }
}

usable_now() { [ "$(drbctl list --json | jq -s 'map(.ports_usable) | add')" = "$1" ]; }

# streams AT FAULT: a report of what happened is in $scratch/events
streams() {
  python3 -B "$root/tests/live/faults/heal.py" drb 16 $slot_ms 8 "$1" "$2" >"$scratch/events" 2>"$scratch/said" ||
    cat "$scratch/said"
  sed "s|$root/||g; s|/run/drbswitch/drb/||g; s/^/# /" "$scratch/events"
}

event() { jq -se ".[$1] | $2" "$scratch/events" >/dev/null || { sed -n "$(($1 + 1))p" "$scratch/events" && false; }; }

# Longer by what a switch waited for a CPU at both ends of a link.
healed() { event 1 ".lost >= 1 and .heal_ms <= $within_ms + 2 * (.late_ms + .waited_ms) and .sent > 2000"; }

# breaks NAME FAULT REPAIR USABLE: healed in time, all reached, and as before when it is repaired
breaks() {
  streams 2 "$2"
  check "$1: nothing is lost before" event 0 '.lost == 0 and .sent > 800'
  check "$1: nothing is lost later than $within_ms ms after" healed
  check "$1: $4 ports are usable" usable "$4"
  decide "$1: every pair" undisturbed 200 fabric check ping
  eval "$3" >"$scratch/repaired" 2>&1 &
  check "$1: all ports are usable again" usable 80
  check "$1: packets are conserved" drbctl check
}

up -l 3 -d 2 --rate 250pps --links memif
check "80 ports are usable" usable 80
breaks "two switches" "$(killed s2-0 s2-3)" "$(started s2-0 s2-3)" 64
breaks "a switch and a link" "$(killed s2-0); $(links down s2-1.u1)" "$(links up s2-1.u1); $(started s2-0)" 70
three="s1-5.u0 s2-4.u1 s1-4.u1"
# shellcheck disable=SC2086 # several words
breaks "three links" "$(links down $three)" "$(links up $three)" 74
well "every pair, after all of it" wiring ping
check "down" fabric down
finish
