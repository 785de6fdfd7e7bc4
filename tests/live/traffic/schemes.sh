#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# With every scheme, all hosts are reached; replan changes the switches and leaves links alone.
# Full: it starts each scheme in turn; replay.sh runs three of them, and unit tests decide with all.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl
need_tool fping jq

scheme_is() { drbctl show drb-s1-0 routing --json | grep -qE "\"scheme\": ?\"$1\""; }

up -l 3 -d 2 --scheme drb --threshold 1.5
interface=$(fabric exec h0 -- ip -o link show eth0)
schemes=$("$build/src/plan/drbtopo" schemes --json | jq -r .scheme)
check "the table of schemes" test "$(wc -w <<<"$schemes")" -ge 9
for scheme in $schemes; do
  check "$scheme: replan" fabric replan --scheme $scheme
  check "$scheme: switches use it" scheme_is $scheme
  well "$scheme: wiring, pings, counters" wiring ping counters links
done
check "threshold survived" sh -c "'$build/src/ctl/drbctl' show drb-s1-0 routing --json | grep -q '1.5'"
check "links stayed" test "$interface" = "$(fabric exec h0 -- ip -o link show eth0)"
check "down" fabric down
check "nothing is left" nothing_left
finish
