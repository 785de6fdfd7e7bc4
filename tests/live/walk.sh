#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Schemes rotate and walk under one permutation that persists: nothing is lost, packets walk at every
# switch that sends up, and hosts see no mark of it.
# Quiet: no packet may be lost.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/story.bash"
need drbtopo drbswitch drbgen drbctl
need_tool jq tcpdump ping

replay() { # replay FOLDER: the line of all hosts in $scratch/all
  drbgen replay "$1" --json >"$scratch/report" &&
    jq -c 'select(.host == "all")' "$scratch/report" >"$scratch/all"
}

walked() { # walked SWITCH: packets that walked there
  drbctl show "$1" routing --json | jq .up_walked
}

# sources NODE PORT: the sources of the next IP packets there, once each
sources() {
  fabric exec "$1" -- timeout 20 tcpdump -i "$2" -nn -e -c 100 -Q in udp or icmp 2>/dev/null |
    awk '{ print $2 }' | sort -u
}

drbgen write -l 3 -d 2 --pattern fixed --load 0.9 --slots 1000 --slot 4ms --seed 3 --out "$scratch/fixed"
up -l 3 -d 2 --scheme walk --rate 250pps
check "the slot is shown" sh -c "'$build/src/ctl/drbctl' show drb-s1-0 routing --json |
  jq -e '.scheme == \"walk\" and .slot_ns == 4000000'"
check "every pair answers" fabric check wiring ping
for scheme in walk rotate; do
  [ $scheme = walk ] || check "replan to $scheme" fabric replan --scheme $scheme
  check "$scheme: replay" replay "$scratch/fixed"
  cat "$scratch/all"
  check "$scheme: nothing is lost, duplicated or misdelivered" jq -e \
    '.sent > 13000 and .lost == 0 and .duplicated == 0 and .misdelivered == 0' "$scratch/all"
  check "$scheme: packets are conserved" fabric check counters links
  if [ $scheme = walk ]; then
    for switch in s1-0 s1-7 s2-0 s2-7; do
      check "packets walked at $switch" test "$(walked $switch)" -gt 100
    done
    check "none did in the core" test "$(walked s3-0)" = 0
    # h4 to h10 goes through the core; both of its uplinks carry marked packets.
    "$root/topo/fabric" exec h4 -- ping -q -i 0.004 10.0.0.11 >/dev/null &
    sources s2-2 d0 >"$scratch/between"
    sources h10 eth0 >"$scratch/host"
    kill $!
    wait
    fabric exec h4 -- ping -q -i 0.004 -c 500 10.0.0.11 >"$scratch/ping"
    cat "$scratch/between" "$scratch/host"
    check "marks are seen between switches" grep -qx "02:01:00:00:00:04" "$scratch/between"
    check "and none by hosts" test "$(cat "$scratch/host")" = "02:00:00:00:00:04"
    check "all pings came back" grep -q " 0% packet loss" "$scratch/ping"
  fi
done
check "down" fabric down
finish
