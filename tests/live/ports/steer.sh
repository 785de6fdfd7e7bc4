#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# In front of af_xdp ports, the kernel redirects frames of the fabric to the switch and keeps all
# others. Each frame is counted, including those that find the ring full.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl
need_tool jq ping
[ "$(awk '{ print $2 }' /proc/self/uid_map)" = 0 ] || cannot_run "programs cannot be loaded in a user namespace"

# at_rest SWITCH: at each port, redirected frames are received or missed. Waits for frames that are
# on their way or in a ring.
rests() {
  { drbctl show "$1" xdp --json && drbctl show "$1" ports --json; } |
    jq -se 'group_by(.port) | length > 0 and all(add |
      .xdp_redirected == .in_packets + .xdp_ring_full + .xdp_dropped and
      .in_missed == .xdp_ring_full + .xdp_dropped)'
}
at_rest() { soon rests "$1" || { drbctl show "$1" xdp && drbctl show "$1" ports && false; }; }
# Each frame is redirected or passed. That holds in every reply, although CPUs count during the sum.
adds_up() {
  drbctl show --all xdp --json | tee "$scratch/xdp" |
    jq -se 'length > 0 and all(.xdp_seen == .xdp_redirected + .xdp_passed)' || { cat "$scratch/xdp" && false; }
}
# count SUM: evaluates a sum of counters of port d0 of s1-0
count() {
  drbctl show s1-0 xdp --json | jq "select(.port == \"d0\") | $1"
}
# arrives SUM NUMBER: the sum reaches this number, or more
is_at_least() { [ "$(count "$1")" -ge "$2" ]; }
arrives() { soon is_at_least "$@" || { drbctl show s1-0 xdp && false; }; }

# Hellos are off: they would be redirected, too, but are not counted as packets of the fabric.
up -l 2 -d 2 --driver af_xdp --hello off
if ! drbctl show s1-0 xdp 2>&1 | grep -q redirected; then
  fabric down
  cannot_run "built without BPF"
fi
well "every host reaches every other"
check "frames seen are sent on or kept" adds_up
for switch in s1-0 s2-1; do
  check "$switch: what is sent on arrives" at_rest $switch
done

# A frame that is not of the fabric goes to the interface of the switch itself, as if the interface
# had another use, too. ARP belongs to the fabric, so both ends get static neighbours.
passed=$(count .xdp_passed)
redirected=$(count .xdp_redirected)
mac=$(ip netns exec drb-s1-0 cat /sys/class/net/d0/address)
ip -n drb-s1-0 address add 192.0.2.1/24 dev d0
ip -n drb-s1-0 neighbour add 192.0.2.2 lladdr 02:00:00:00:00:00 dev d0 nud permanent
ip -n drb-h0 address add 192.0.2.2/24 dev eth0
ip -n drb-h0 neighbour add 192.0.2.1 lladdr "$mac" dev eth0 nud permanent
check "the kernel of the switch's namespace answers" fabric exec h0 -- ping -c 5 -i 0.05 -W 2 192.0.2.1
check "its five frames are counted as passed" arrives .xdp_passed $((passed + 5))
fabric exec h0 -- ping -q -c 5 -i 0.05 -W 2 10.0.0.2 >/dev/null
check "five of the fabric as sent on" arrives .xdp_redirected $((redirected + 5))
check "all is counted" adds_up

# More frames arrive than the receive ring and its buffers hold, while the switch is stopped.
pid=$(drbctl show s1-0 info --json | jq .pid)
kill -STOP "$pid"
fabric exec h0 -- ping -q -c 6000 -l 6000 -W 1 10.0.0.2 >/dev/null 2>&1
kill -CONT "$pid"
check "some were lost, and said so" arrives '.xdp_ring_full + .xdp_dropped' 1
drbctl show s1-0 xdp | sed 's/^/# /'
check "what is sent on is received or lost" at_rest s1-0
check "with losses all adds up" adds_up
check "packets are conserved" drbctl check

# The program of a killed switch disappears. Otherwise the next switch could not use the interface.
has_program() { ip -n drb-s1-0 link show d0 | grep xdp; }
check "the program is on the interface" has_program
kill -KILL "$pid"
has_none() { ! has_program; }
check "killed, it leaves none" soon has_none
check "down" fabric down
check "nothing is left" nothing_left

finish
