#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Fabrics of other sizes come up, agree with the wiring formula, and connect all hosts.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl
need_tool fping python3

for shape in 1,4 2,1 2,3 4,2 3,4; do
  case $shape in 2,1 | 4,2 | 3,4) in_full "F($shape)" || continue ;; esac
  links=veth
  [ $shape != 2,3 ] || links=memif
  up -l "${shape%,*}" -d "${shape#*,}" --links $links
  well "F($shape): wiring, pings, counters" wiring ping counters links
  check "F($shape): down" fabric down
done
up -l 1 -d 20
well "40 ports: wiring, pings, counters" wiring ping counters links
check "40 ports: all in what is repeated for other machines" \
  python3 -B "$root/tests/live/ports/many_ports.py" drb 40 "$build/src/ctl/drbctl"
check "40 ports: down" fabric down
check "nothing is left" nothing_left

# Two fabrics run at once, with other addresses, and with a name that looks like a node's.
up -l 2 -d 2 --fabric a-h1
up -l 2 -d 2 --links memif --fabric b --ipv4 192.168.0.0/16 --ipv6 2001:db8::/64 --mac 06:11
decide "two fabrics: the first" undisturbed 200 fabric check wiring ping --fabric a-h1
decide "two fabrics: the second" undisturbed 200 fabric check wiring ping --fabric b
check "two fabrics: addresses" fabric exec --fabric b h0 -- ping -c 1 -W 2 192.168.0.8
check "down of one" fabric down --fabric a-h1
decide "the other stays" undisturbed 200 fabric check --fabric b
check "down of the other" fabric down --fabric b
check "nothing is left of both" nothing_left
finish
