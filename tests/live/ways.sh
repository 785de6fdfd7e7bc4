#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Which way packets take: drbctl path by the decision core and the switches' state, also around what is dead.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/story.bash"
need drbtopo drbswitch drbctl
need_tool jq fping

up -l 3 -d 2 --scheme dmodk

# Every pair: a way that ends at its host, over ports that are up, and not over the switch named.
every_pair_without() {
  local from to
  for from in 0 5; do
    for to in {0..15}; do
      [ $from != "$to" ] || continue
      drbctl path h$from h"$to" --json 2>/dev/null >"$scratch/path" || { echo "h$from to h$to: none" && return 1; }
      jq -es --arg to "h$to.eth0" --arg no "$1" \
        'last.to == $to and all(.[]; .state == "up" and .switch != $no) and length <= 11' "$scratch/path" >/dev/null ||
        { echo "h$from to h$to:" && cat "$scratch/path" && return 1; }
    done
  done
}
detours() { drbctl path h0 "$1" --json 2>/dev/null | jq -es 'any(.[]; .certain | not)'; }

check "ways of every pair" every_pair_without nobody
check "as D-mod-k has them" bash -c "'$build/src/ctl/drbctl' path h0 h15 --json | jq -es 'all(.[]; .certain) and length == 5'"
# Of both middle switches of a pod one is gone: on the way down packets turn back.
check "a switch of the middle layer is stopped" fabric stop s2-7
check "no way leads over it" soon every_pair_without s2-7
check "some are detours" detours h15
check "packets arrive by them" fabric exec h0 -- fping -q 10.0.0.16
check "it is started" fabric start s2-7
check "ways are as before" soon bash -c "'$build/src/ctl/drbctl' path h0 h15 --json | jq -es 'all(.[]; .certain) and length == 5'"
check "a core switch is stopped" fabric stop s3-1
check "no way leads over that" soon every_pair_without s3-1
check "down" fabric down
check "nothing is left" nothing_left
finish
