#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The generated Ansible playbook runs a fabric over two machines. All pairs answer, a dead switch is
# started again, one command brings back a machine that lost power, and nothing is left. One link
# between the machines is a cable: its interfaces become ports and are given back. Uses F(3,4) with
# --long, otherwise F(3,2).
# Full: it waits for minutes; test_machines.py tests plans, links and messages of machines.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl drbgen
need_tool fping
# shellcheck source=tests/live/machines/machines.bash
. "$(dirname "$0")/machines.bash"

arity=2 rate=500pps traffic="--load 0.5 --slots 500"
[ -z "${DRB_LONG:-}" ] || { arity=4 && rate=250pps && traffic="--load 0.3 --slots 250 --slot 4ms"; }

# The middle up-port of the first switch of layer 2 leads to the first core switch of b.
up=u$((arity / 2)) core=s3-$((arity * arity / 2))
cat >$scratch/cables.yaml <<END
cables:
  - ends: {s2-0.$up: eth1, $core.d0: fibre0}
END
start_machines "a b" -d $arity --rate $rate

# refused PATTERN [PLAN]: machine a refuses the plan and leaves nothing
refused() {
  fails_with 2 "^drbfabric: s2-0.$up.* $1" on a "$root/topo/fabric up --plan ${2:-$shared/plan/a}" && nothing_left_on a
}
check "a cable that is not there is named" refused 'is to be eth1, and this machine has no such interface'
plug_cable a eth1
plug_cable b fibre0
on a ip address add 10.98.0.1/24 dev eth1
check "an interface with an address stays" refused 'eth1 has the address 10.98.0.1, which it would lose'
on a 'ip address flush dev eth1; ip link add lan type bridge; ip link set eth1 master lan'
check "one of a bridge stays" refused 'eth1 is a port of lan: ip link set dev eth1 nomaster'
on a 'ip link delete lan; ip link set eth1 mtu 1400'
check "one for smaller packets stays" refused 'eth1 has an MTU of 1400, and hosts have 1450'
on a ip link set eth1 mtu 1500
sed "s/: eth1/: eth0/" $scratch/machines.yaml >$scratch/wrong.yaml
check "a plan with the interface of the underlay" drbtopo plan -d $arity --machines $scratch/wrong.yaml --out $shared/wrong
check "which stays" refused 'eth0 leads to the other machines' $shared/wrong/a

ours="up --plan $shared/plan/a"
on a ip link add elsewhere type vxlan id 1001 local 10.99.0.1 remote 10.99.0.2 dstport 4789
check "a VNI that is in use is named" fails_with 2 \
  '^drbfabric: this machine has a VXLAN interface with a VNI of 1[0-9]+[.][.]1[0-9]+ and UDP port 4789.*another first_id' \
  on a "$root/topo/fabric $ours"
on a ip link delete dev elsewhere
mkfifo $scratch/until_closed
on a "python3 -c 'import socket, sys; s = socket.socket(type=socket.SOCK_DGRAM); s.bind((\"\", 4789)); sys.stdin.read()'" \
  <$scratch/until_closed &
exec {until_closed}>$scratch/until_closed
check "another program has the UDP port" soon on a 'ss -lun | grep :4789'
check "which is named" fails_with 2 \
  '^drbfabric: UDP port 4789 is taken by another program .*another udp_port' on a "$root/topo/fabric $ours"
exec {until_closed}>&-
wait $!
check "neither up has left anything" nothing_left_on a

check "up" playbook up
# of_cable links|ports CONDITION: holds for the port at a's end of the cable
of_cable() {
  on a "$build/src/ctl/drbctl show s2-0 $1 --json" | jq -c "select(.port == \"$up\")" | tee $scratch/cable | jq -se "any($2)" ||
    { cat $scratch/cable && false; }
}
check "the cable is a port" soon of_cable links '.state == "up"'
check "and no interface of the machine" fails_with 1 'eth1.* does not exist' on a ip link show dev eth1
decide "every pair answers, every view is right, packets are conserved" undisturbed 300 playbook check
of_cable ports true >/dev/null
before=$(jq '[.in_packets, .out_packets] | max' $scratch/cable)
check "a permutation replay loses nothing" soon playbook replay -e "drb_traffic='$traffic'"
check "packets took the cable, both ways" of_cable ports "[.in_packets, .out_packets] | min >= $before + 50"
playbook replay -e "drb_traffic='$traffic'" | sed -n 's/^ *"\(.*\)",\?$/# \1/p'
check "packets are conserved on all links" playbook links
# recap PATTERN COUNT TAG: the recap of a playbook matches for COUNT machines
recap() {
  playbook "$3" >$scratch/recap
  sed -n '/^PLAY RECAP/,$p' $scratch/recap | tee /dev/stderr | grep -cE "$1" | grep -qx "$2"
}
check "up again changes nothing" recap 'changed=0 .*failed=0' 2 up

check "every switch of b is killed" on b "$root/topo/fabric kill \$(jq -r '.switches[].name' /run/drbswitch/drb/plan.json)"
check "up starts them all" recap '^b .*changed=1 .*failed=0' 1 up
check "up --replace finds its VNIs free" on a "$root/topo/fabric up --replace --plan $shared/plan/a"
check "a switch is killed" on a "$root/topo/fabric" kill s3-0
check "up starts it again" playbook up,check

# In the place of a core switch of b, somebody starts one that a has already.
check "a core switch of b is killed" on b "$root/topo/fabric" kill $core
of_core() { on b "jq -r '.switches[] | select(.name == \"$core\") | .$1' /run/drbswitch/drb/plan.json"; }
on b "echo \$\$ >/run/twin && exec ip netns exec $(of_core namespace) $build/src/switch/drbswitch --layer 3 --label 0 \
  -c /run/drbswitch/drb/$(of_core config)" >$scratch/twin.log 2>&1 &
twin_told() { on a "$build/src/ctl/drbctl list" | grep 's3-0.d0 is there twice'; }
check "a label used twice is told on the other machine" soon twin_told
check "with the cure" on a "grep 's3-0.d0 is there twice: stop one of the two, or give it another switch.label' \
  /run/drbswitch/drb/log/s2-0.log"
on b 'kill $(cat /run/twin)'
twin_ended() { fails_with 1 'No such process' on b 'kill -0 $(cat /run/twin)'; }
check "the second switch ends" soon twin_ended
check "its place is taken again" on b "$root/topo/fabric" start $core
no_twin() { ! twin_told; }
check "nothing is there twice" soon no_twin

machine_kill b
check "a machine without power is named" recap '^b .*unreachable=1' 1 check
check "the end of the cable is down" soon of_cable links '.state == "down"'
machine_start b 2
plug_cable b fibre0
check "it comes back by one command" playbook up
decide "and all is well" undisturbed 300 playbook check

check "a switch with a cable is killed" on a "$root/topo/fabric" kill s2-0
check "down" playbook down
check "nothing is left on any" nothing_left_on a b
has_back() { on "$1" ip -o link show dev "$2"; }
check "a has its interface back" has_back a eth1
check "b has its interface back" has_back b fibre0
skip "a VLAN of a cable" "not every kernel has them; what ip is told is checked by test_machines.py"
finish
