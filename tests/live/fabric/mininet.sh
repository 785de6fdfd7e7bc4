#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs fat-trees in Mininet by the real mn, without a controller or Open vSwitch. Tests pings, TCP,
# a link that is down, and a replay; drbctl and drbfabric work, and nothing is left, even after a
# kill.
# Full: Mininet takes long to start; test_mininet.py tests what it is told.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbgen drbctl
need_tool mn iperf telnet jq fping ss

# After an error, and with -c, mn kills processes by name and deletes logs in /tmp.
grep -q rootless /proc/1/cmdline || cannot_run "no process namespace of its own"
# This project may itself be below /tmp. Then it is used through another path.
mkdir "$scratch/tree" "$scratch/build"
mount --bind "$root" "$scratch/tree" && mount --bind "$build" "$scratch/build" && mount -t tmpfs tmpfs /tmp ||
  cannot_run "no /tmp of its own"
root=$scratch/tree build=$scratch/build
export DRB_BUILD=$build
cd "$root" || exit 1

network() { # network L D [MN OPTION...]
  local size=$1,$2
  shift 2
  mn --custom "$root/topo/mininet/drb.py" --topo "fattree,$size" --switch "${switch:-drb}" "$@"
}

# begin L D: starts a network; cli() types into its command line
begin() {
  mkfifo "$scratch/cli"
  network "$@" <"$scratch/cli" >"$scratch/said" 2>&1 &
  network_pid=$!
  exec 7>"$scratch/cli"
  cli "sh true" >/dev/null
}

# cli COMMAND: runs it in mn and prints mn's output
cli() {
  local before step=$EPOCHREALTIME # differs for each call, also in a subshell
  before=$(wc -l <"$scratch/said")
  printf '%s\nsh echo step-%s-is-done\n' "$1" "$step" >&7
  soon grep -q "step-$step-is-done" "$scratch/said" >/dev/null || { tail "$scratch/said" && return 1; }
  tail -n "+$((before + 1))" "$scratch/said"
}

end() { # end: leaves the command line; succeeds if mn ended well
  echo exit >&7
  exec 7>&-
  wait $network_pid
  local status=$?
  rm "$scratch/cli"
  return $status
}

says() { # says PATTERN COMMAND...
  local pattern=$1 said
  shift
  said=$("$@" 2>&1)
  echo "$said"
  grep -q -- "$pattern" <<<"$said"
}

listens() { fabric exec "$1" -- ss -ltnH "sport = :$2" | grep .; } # listens HOST PORT

# Mininet 2.3.0's iperf verb waits forever for a line that iperf 2.1's server does not print.
gigabits() { # gigabits LEAST: TCP from end to end carries at least so many Gbit/s
  # Discard its output; otherwise check would wait for the end of it.
  "$root/topo/fabric" exec h15 -- timeout 30 iperf -s >/dev/null 2>&1 &
  soon listens h15 5001 &&
    fabric exec h0 -- iperf -c 10.0.0.16 -t 3 -f m | tee "$scratch/iperf"
  sed -n 's/.* \([0-9.]*\) Mbits\/sec.*/\1/p' "$scratch/iperf" |
    awk -v least="$1" '{ most = $1 > most ? $1 : most } END { exit !(most > 1000 * least) }'
}

# Neither the network nor Mininet itself has left anything.
all_gone() { nothing_left && ! pgrep -af 'mininet:|mnexec|mininet_keeper'; }

pings() { says ' 0% dropped' cli pingall; }

check "F(2,2): pingall" says ' 0% dropped' network 2 2 --test pingall
check "nothing is left of it" all_gone
check "with a rate and a scheme" \
  env switch=drb,scheme=walk,threshold=3 bash -c "$(declare -f network says); root='$root'; says ' 0% dropped' network 2 2,bw=50 --test pingall"
check "nothing is left of that" all_gone
switch=drb,ipv4=192.168.0.0/16,ipv6=fd11::/64,mac=06:aa network 2 2 >"$scratch/own" 2>&1 <<<$'pingall\nh0 ping -6 -c 3 fd11::7\n'
check "with networks and MAC addresses of one's own" grep ' 0% dropped' "$scratch/own"
check "over IPv6, too" grep '3 received' "$scratch/own"
check "without a word against them" bash -c "! grep -E 'has the (address|MAC)|no effect' '$scratch/own'"
check "nothing is left of those" all_gone
check "a mistake is named" says "scheme best" env switch=drb,scheme=best bash -c "$(declare -f network); root='$root'; network 2 2 --test none"
check "so are links that Mininet does not make" \
  says "links=memif" env switch=drb,links=memif bash -c "$(declare -f network); root='$root'; network 2 2 --test none"
check "nor without some uplinks" \
  says "uplinks=" env switch=drb,uplinks=1 bash -c "$(declare -f network); root='$root'; network 2 2 --test none"
check "and leaves nothing" soon all_gone

begin 3 2
decide "F(3,2): pingall" undisturbed 200 pings
decide "TCP over five switches" unshared 25 gigabits 0.5
check "hosts have the MTU of packets" says '> 1500' cli "h0 cat /sys/class/net/eth0/mtu"
check "a link is taken down" cli "link s1-0 s2-0 down"
check "its switch sees that" soon bash -c "'$build/src/ctl/drbctl' show s1-0 links --json | jq -es 'any(.[]; .state == \"down\")'"
check "so does the other end" soon bash -c "'$build/src/ctl/drbctl' show s2-0 links --json | jq -es 'any(.[]; .state == \"down\")'"
decide "every pair without it" undisturbed 200 pings
check "it comes back" cli "link s1-0 s2-0 up"
check "a host's link is taken down" cli "link h0 s1-0 down"
check "and up" cli "link h0 s1-0 up"
check "drbfabric check knows the network" soon fabric check
check "drbctl does" says '^drb  *s3-3 ' drbctl list
check "a switch is stopped" cli "switch s2-1 stop"
check "it is stopped then" says '^s2-1,drb-s2-1,[0-9]*,stopped' fabric status --csv
check "and started" cli "switch s2-1 start"
check "and works" soon fabric check wiring
check "counters from the command line of mn" says 'multicast' cli "dpctl drops"
check "only those that are not zero" bash -c "! grep -E '^[a-z_]+ +0 ' '$scratch/said'"
drbgen write --traffic fixed --load 0.5 --slots 300 --slot 4ms --out "$scratch/traffic" 2>/dev/null
decide "a replay of a permutation loses nothing" undisturbed 100 drbgen replay "$scratch/traffic"
check "other settings are Mininet's to give" fails_with 2 'made by mininet' fabric replan --scheme walk
end
check "mn ends" test $? = 0
check "nothing is left" all_gone

begin 2 2
kill -KILL "$(pgrep -f "bin/mn .*fattree,2,2")"
exec 7>&-
rm "$scratch/cli"
check "nothing is left of one that was killed" soon all_gone

cat >"$scratch/script.py" <<END
import functools
import json
import sys
sys.path.insert(0, '$root/topo/mininet')
from mininet.net import Mininet
from mininet.node import Node, RemoteController
from drb import DrbSwitch, FatTreeTopo
net = Mininet(topo=FatTreeTopo(2, 1, bw=20), switch=functools.partial(DrbSwitch, mtu=4000), controller=None)
net.start()
print('mtu', *(intf.node.cmd(f'cat /sys/class/net/{intf.name}/mtu').strip()
               for intf in net.links[0].intf1.link.intf2.node.intfList() if intf.link))
print('lost', net.pingAll())
print(net.get('h0').cmd('ping -c 1 -W 2 -M do -s 3972 10.0.0.2'))
ports = [json.loads(line) for line in net.get('s1-0').dpctl('ports', '--json').splitlines()]
print('counted', sum(port['in_packets'] for port in ports) > 4, 'connected', net.waitConnected(timeout=60))
net.addLink('h0', 's1-0')
net.stop()

class Strange(FatTreeTopo):
    def build(self):
        super().build(2, 1)
        self.addHost('nat0', cls=Node, inNamespace=False)  # as --nat does
        self.addLink('nat0', 's1-0')
        self.addLink('s1-0', 's2-0')
        self.addLink('h0', 'h1')

net = Mininet(topo=Strange(), switch=DrbSwitch, ipBase='172.16.0.0/12', controller=lambda name: RemoteController('c7', port=9347))
net.get('h1').setIP('10.0.0.77/8')
net.start()
net.stop()
END
script() { /usr/bin/python3 -B "$scratch/script.py" 2>&1 | tee "$scratch/of-script"; }
check "from a script" says 'lost 0.0' script
check "with a larger MTU" grep '1 received' "$scratch/of-script"
check "between switches, too, and whatever a host sends reaches its switch" grep '^mtu 65535 4000$' "$scratch/of-script"
check "and reads counters" grep '^counted True connected True$' "$scratch/of-script"
check "what has no effect is named: a link to a switch that runs" \
  grep 's1-0-eth[0-9] has no effect: s1-0 runs, and takes no further ports' "$scratch/of-script"
check "a host of no fat-tree" grep 'nat0 has no effect: switches forward between the hosts of F(2,1)' "$scratch/of-script"
check "a link of no fat-tree" grep 'the link s1-0-eth[0-9] - s2-0-eth[0-9] has no effect' "$scratch/of-script"
check "between hosts" grep 'the link h0-eth1 - h1-eth1 bypasses all switches: leave links' "$scratch/of-script"
check "other networks" grep -e '--ipbase 172.16.0.0/12 has no effect: .* take --switch drb,ipv4=172.16.0.0/12$' "$scratch/of-script"
check "an address of its own" grep 'h1 has the address 10.0.0.77, and its switch drops .* 10.0.0.2: leave' "$scratch/of-script"
check "a controller, once" test "$(grep -c 'c7 has no effect: switches decide for themselves' "$scratch/of-script")" = 1
check "options of other switches are refused" says 'opts' env switch=drb,opts=x bash -c "$(declare -f network); root='$root'; network 2 1 --test none"
check "nothing is left of the script" all_gone
finish
