#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A fabric over three machines, of which two no longer reach each other: both ends of every link between them
# are named, and traffic goes by the third within 400 ms. With --long F(3,4), else F(3,2).
# Alone: how long it takes to heal is measured.
# Full: it is machines.sh and heal.sh in one.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl drbgen
need_tool fping
# shellcheck source=tests/live/machines/machines.bash
. "$(dirname "$0")/machines.bash"

arity=2 hosts=16
[ -z "${DRB_LONG:-}" ] || { arity=4 && hosts=128; }
slot_ms=4 within_ms=400

start_machines "m1 m2 m3" -d $arity --rate 250pps
check "up" playbook up
decide "every pair answers, every view is right, packets are conserved" undisturbed 300 playbook check
check "a permutation replay loses nothing" playbook replay -e 'drb_traffic="--load 0.3 --slots 250 --slot 4ms"'
check "packets are conserved on all links" playbook links

# Traffic is sent from here: the hosts' namespaces, as this world sees them.
mkdir -p /run/netns
jq -r '.hosts[] | "\(.machine) \(.namespace)"' $shared/plan/plan.json | while read -r machine space; do
  ln -s "/proc/$(pgrep -P "${machine_pid[$machine]}")/root/run/netns/$space" /run/netns/
done

cut_or_mend() { # cut_or_mend on|off: isolated ports of the underlay reach others, but not one another
  echo "ip link set to-m1 type bridge_slave isolated $1; ip link set to-m2 type bridge_slave isolated $1"
}

event() { jq -se ".[$1] | $2" "$scratch/events" >/dev/null || { cat "$scratch/events" && false; }; }
# heals: the cut costs packets for no longer than $within_ms, the mend none for longer
heals() {
  eval "$(cut_or_mend off)"
  soon playbook check >/dev/null || return 1
  python3 -B "$root/tests/live/faults/heal.py" drb $hosts $slot_ms 8 2 "$(cut_or_mend on)" 5 "$(cut_or_mend off)" \
    >"$scratch/events" 2>"$scratch/said" || { cat "$scratch/said" && return 1; }
  event 0 '.lost == 0' && event 1 ".lost > 0 and .heal_ms <= $within_ms" && event 2 ".heal_ms <= $within_ms" && return
  # Longer by what was measured beside it.
  cat "$scratch/events"
  jq -sr 'max_by(.heal_ms) | "healed in \(.heal_ms) ms, streams late by \(.late_ms) ms, a switch waited \(.waited_ms) ms"' "$scratch/events"
  jq -se "all(.[]; .stolen >= 10 or .heal_ms <= $within_ms + 2 * (.late_ms + .waited_ms))" "$scratch/events" >/dev/null &&
    return "$cannot_tell"
  return 1
}
decide "healed within $within_ms ms" heals
sed 's/^/# /' "$scratch/events"

down_ports() { # down_ports MACHINE: of its switches, as drbctl there has them
  on "$1" "$build/src/ctl/drbctl show --all links --json" | jq -r 'select(.state == "down") | "\(.switch).\(.port)"' | sort
}
named() { # both ends of the links between m1 and m2, and nothing else
  diff <(down_ports m1; down_ports m2) <(for machine in m1 m2; do
    jq -r --arg own $machine '(.switches | map({key: .name, value: .machine}) | from_entries) as $of | .links[] |
      select(.id) | [.lower, .upper] as $ends | select(($ends | map($of[.]) | sort) == ["m1", "m2"]) |
      if $of[.lower] == $own then "\(.lower).\(.lower_port)" else "\(.upper).\(.upper_port)" end' \
      $shared/plan/plan.json | sort
  done)
}
eval "$(cut_or_mend on)"
check "both ends of every cut link are named" soon named
pings() { on "$1" "$root/topo/fabric check ping"; }
for machine in m1 m2 m3; do
  check "and nobody is cut off, from $machine" soon pings $machine
done
eval "$(cut_or_mend off)"
check "mended, all is well" soon playbook check
check "down" playbook down
check "nothing is left on any" nothing_left_on m1 m2 m3
finish
