#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# In a fabric over three machines, two no longer reach each other. Both ends of every link between
# them are named, and traffic goes over the third machine within 400 ms. Uses F(3,4) with --long,
# otherwise F(3,2).
# Alone: times are measured.
# Full: it combines machines.sh and heal.sh.
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

# Traffic is sent from here, so link the hosts' namespaces into this world.
mkdir -p /run/netns
jq -r '.hosts[] | "\(.machine) \(.namespace)"' $shared/plan/plan.json | while read -r machine space; do
  ln -s "/proc/$(pgrep -P "${machine_pid[$machine]}")/root/run/netns/$space" /run/netns/
done

# cut_or_mend on|off: isolated ports of the underlay's bridge reach others, but not each other
cut_or_mend() {
  echo "ip link set to-m1 type bridge_slave isolated $1; ip link set to-m2 type bridge_slave isolated $1"
}

event() { jq -se ".[$1] | $2" "$scratch/events" >/dev/null || { cat "$scratch/events" && false; }; }
# heals: packets are lost for no longer than $within_ms after the cut, and after the mending
heals() {
  eval "$(cut_or_mend off)"
  soon playbook check >/dev/null || return 1
  python3 -B "$root/tests/live/faults/heal.py" drb $hosts $slot_ms 8 2 "$(cut_or_mend on)" 5 "$(cut_or_mend off)" \
    >"$scratch/events" 2>"$scratch/said" || { cat "$scratch/said" && return 1; }
  event 0 '.lost == 0' && event 1 ".lost > 0 and .heal_ms <= $within_ms" && event 2 ".heal_ms <= $within_ms" && return
  # The time may be longer by the delays that were measured meanwhile.
  cat "$scratch/events"
  jq -sr 'max_by(.heal_ms) | "healed in \(.heal_ms) ms, streams late by \(.late_ms) ms, a switch waited \(.waited_ms) ms"' "$scratch/events"
  jq -se "all(.[]; .stolen >= 10 or .heal_ms <= $within_ms + 2 * (.late_ms + .waited_ms))" "$scratch/events" >/dev/null &&
    return "$cannot_tell"
  return 1
}
decide "healed within $within_ms ms" heals
sed 's/^/# /' "$scratch/events"

# down_ports MACHINE: prints ports of its switches that drbctl on it reports as down
down_ports() {
  on "$1" "$build/src/ctl/drbctl show --all links --json" | jq -r 'select(.state == "down") | "\(.switch).\(.port)"' | sort
}
# named: exactly the ends of the links between m1 and m2 are down
named() {
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
