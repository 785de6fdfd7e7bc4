#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs single switches by hand. The commands that drbtopo prints work when they are pasted, and each
# mistake of a host is reported in one line with the cure.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl
need_tool iperf3 jq python3
cd "$scratch" || exit 1

said=$scratch/said

# paste SWITCH: runs its commands as they are printed; $said has the switch's log
paste() {
  drbtopo commands -l 2 -d 2 "$1" >commands || return
  # shellcheck disable=SC1091 # printed just now
  . ./commands >pinged 2>>"$said"
}
ends() { # ends SWITCH...
  local switch
  for switch in "$@"; do
    ip netns pids "drb-$switch" | xargs -r kill
    soon no_process "$switch" >/dev/null
  done
}
no_process() { [ -z "$(ip netns pids "drb-$1")" ]; }
# Starts from nothing: hosts know no neighbour, and the switch has just started.
first_ping() {
  [ ! -e /run/netns/drb-s1-0 ] || { ends s1-0 && ip -all netns delete; }
  : >"$said"
  paste s1-0 && awk -F '[/ ]' '/^rtt/ { print; exit !($9 < 900) }' pinged
}
trouble_is() { [ "$(trouble "$1")" = "$2" ]; }
trouble_names() { trouble "$1" | grep -F "$2"; }
said_once() { [ "$(grep -c "$1" "$said")" = 1 ]; }
reaches() { ip netns exec "drb-h$1" ping -q -c 1 -W 1 "$2"; }
from_host() { ip netns exec "drb-h$1" "${@:2}"; }
# iperf3 -n ends when the sender's buffer holds the last byte, and reports what the receiver has
# read by then. Without a window (-w), that buffer would take all data.
carries_tcp() { # carries_tcp FROM TO ADDRESS
  ip netns exec "drb-h$2" iperf3 -s -1 -D || return
  soon listens "h$2" || return
  ip netns exec "drb-h$1" timeout 120 iperf3 -c "$3" -n 3M -w 64K --json |
    tee iperf.json | jq -e '.end.sum_received.bytes > 2500000'
}

decide "the first ping waits for no second question of the kernel" undisturbed 200 first_ping
check "the commands are six at most" test "$(drbtopo commands -l 2 -d 2 s1-0 | grep -cE '^(if|cat|ip|until) ')" -le 6
check "the pings that they end with" grep -q ' 0% packet loss' pinged
check "TCP, with the offloads that a veth has" carries_tcp 0 1 10.0.0.2
check "nothing is said but that no neighbour is there" \
  bash -c "! grep -vE ' ready: |port u[01]: down, no carrier' '$said'"
check "the uplinks are trouble" trouble_is s1-0 'u0 down; u1 down'

in_use() { drbtopo commands -l 2 -d 2 "$@" | bash 2>&1 | tee refused; }
refuses() { [ "$(in_use "${@:2}" | wc -l)" = 1 ] && grep -qF "$1" refused; }
ip netns list | sort >before
check "a switch that runs is not started again" refuses 'drb-s1-0: fabric drb is up, or this switch runs: end it (topo/fabric down), or' s1-0
check "what is refused does not end the shell" bash -c "
  drbtopo commands -l 2 -d 2 s1-0 >again; . ./again 2>/dev/null; echo on | grep on"
mkdir -p /run/drbswitch/up
check "nor one beside a fabric of its name" refuses 'fabric up is up, or this switch runs: end it (topo/fabric down --fabric up)' \
  --fabric up s1-1
rmdir /run/drbswitch/up
ip netns list | sort >after
check "nor are namespaces made" cmp before after

paste s2-0
paste s1-1
check "three switches reach further" soon reaches 0 10.0.0.3
check "and carry TCP" carries_tcp 3 0 10.0.0.1

from_host 0 ip link set eth0 address 02:aa:00:00:00:07
check "another MAC" soon bash -c "ip netns exec drb-h0 ping -q -c 1 -W 0.1 10.0.0.2; grep -q '$said' -e \
  'port d0: frames from 02:aa:00:00:00:07 are dropped: host h0 must have the MAC 02:00:00:00:00:00 (ip link set dev'"
reaches 0 10.0.0.2
check "is said once" said_once 'frames from'
check "and is trouble" trouble_names s1-0 'd0: h0 has another MAC'
from_host 0 ip link set eth0 address 02:00:00:00:00:00
check "the cure helps" soon reaches 0 10.0.0.2
check "an address outside the fabric" soon bash -c "
  ip netns exec drb-h1 ping -q -c 1 -W 0.1 10.9.9.9; grep -q '$said' -e \
  'port d1: host h1 asks for 10.9.9.9, which is no host: it has the address 10.0.0.2, the last host 10.0.0.8'"
check "is trouble, too" trouble_names s1-0 'd1: h1 asks for an address outside the fabric'
from_host 1 ip link set eth0 mtu 4000 && ip netns exec drb-s1-0 ip link set d1 mtu 4000
check "packets longer than a link carries" soon bash -c "
  ip netns exec drb-h1 ping -q -c 1 -W 0.1 -M do -s 3000 10.0.0.1; grep -qE \
  'port d1: host h1 sends frames of [0-9]+ bytes, .*set its MTU to 1500 .ip link set' '$said'"
check "are said once" said_once 'set its MTU to 1500'

check "a host is no switch" fails_with 2 "'h0' is no switch" drbtopo commands -l 2 -d 2 h0
check "nor is one beyond the fabric" fails_with 2 'F.2,2. has no switch s1-4' drbtopo commands -l 2 -d 2 s1-4
check "which switch?" fails_with 2 'a switch is missing' drbtopo commands -l 2 -d 2
ends s1-0 s1-1 s2-0
finish
