#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# An intruder on both uplinks of s1-0 plays every hello at every end where it does not belong, and
# also old and changed ones. Then it sends thousands in the time of one. With and without
# fabric.hello_key, no link changes, each played frame is counted, and no packet is lost.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl
need_tool jq python3

# strange KIND SECONDS: runs beside streams at load 0.5, whose results are in $scratch/streams
strange() {
  python3 -B "$root/tests/live/faults/heal.py" drb 16 4 $(($2 + 2)) 1 true >"$scratch/streams" 2>"$scratch/said" &
  python3 -B "$root/tests/live/security/strange_hellos.py" drb "$1" "$2" >"$scratch/strange" || return
  wait $! || { cat "$scratch/said" && false; }
}
said() { jq -es ".[0] | $1" "$scratch/strange" || { cat "$scratch/strange" && false; }; }
lost_none() {
  jq -es 'all(.[]; .lost == 0) and .[-1].sent > 2000' "$scratch/streams" || { cat "$scratch/streams" && false; }
}

# holds KIND SECONDS WHAT: no packet is lost, and WHAT holds for the results of strange_hellos.py
holds() { soon fabric check wiring && strange "$1" "$2" && said "$3" && lost_none; }

head -c 32 /dev/urandom >"$scratch/key"
chmod 600 "$scratch/key"
for key in key none; do
  [ $key = key ] || in_full "without a key" || continue
  if [ $key = key ]; then up -l 3 -d 2 --hello-key "$scratch/key"; else up -l 3 -d 2; fi
  well "$key: all links are up"
  decide "$key: of thousands of hellos that do not belong each is counted, no link changes, nothing is lost" \
    undisturbed 50 holds play 20 '.frames > 1000 and .counted == .frames and .changed == {}'
  check "$key: the log says what comes back" \
    grep 'port u0: on this link hellos of this switch come back' /run/drbswitch/drb/log/s1-0.log
  decide "$key: 20,000 forged ones a second change no link, nothing is lost" \
    undisturbed 50 holds flood 5 '.changed == {} and .counted > 1000'
  check "$key: packets are conserved" drbctl check
  check "$key: down" fabric down
done
finish
