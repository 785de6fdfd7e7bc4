#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# F(3,2) over two machines, carried out by the generated Ansible playbook: all pairs answer, a dead switch is
# started again, a machine without power comes back by one command, and nothing is left.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/story.bash"
need drbtopo drbswitch drbctl drbgen
need_tool fping
# shellcheck source=tests/live/machines.bash
. "$(dirname "$0")/machines.bash"

start_machines "a b" --rate 500pps

check "up" playbook up
decide "every pair answers, every view is right, packets are conserved" undisturbed 300 playbook check
check "a permutation replay loses nothing" soon playbook replay -e 'drb_traffic="--load 0.5 --slots 500"'
playbook replay | sed -n 's/^ *"\(.*\)",\?$/# \1/p'
check "packets are conserved on all links" playbook links
recap() { # recap PATTERN COUNT TAG: so many machines have this in the last lines of a playbook
  playbook "$3" >$scratch/recap
  sed -n '/^PLAY RECAP/,$p' $scratch/recap | tee /dev/stderr | grep -cE "$1" | grep -qx "$2"
}
check "up again changes nothing" recap 'changed=0 .*failed=0' 2 up

check "a switch is killed" on a "$root/topo/fabric" kill s3-0
check "up starts it again" playbook up,check

machine_kill b
check "a machine without power is named" recap '^b .*unreachable=1' 1 check
machine_start b 2
check "it comes back by one command" playbook up
decide "and all is well" undisturbed 300 playbook check

check "down" playbook down
check "nothing is left on any" nothing_left_on a b
finish
