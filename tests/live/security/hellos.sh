#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Somebody on both uplinks of s1-0 plays every hello at every end but where it belongs, and old and changed ones; then
# sends thousands in the time of one. With fabric.hello_key and without no link changes, each frame that is played is
# counted, and no packet is lost.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl
need_tool jq python3

# strange KIND SECONDS: beside streams at load 0.5, which are in $scratch/streams then
strange() {
  python3 -B "$root/tests/live/faults/heal.py" drb 16 4 $(($2 + 2)) 1 true >"$scratch/streams" 2>"$scratch/said" &
  python3 -B "$root/tests/live/security/strange_hellos.py" drb "$1" "$2" >"$scratch/strange" || return
  wait $! || { cat "$scratch/said" && false; }
}
said() { jq -es ".[0] | $1" "$scratch/strange" || { cat "$scratch/strange" && false; }; }
lost_none() {
  jq -es 'all(.[]; .lost == 0) and .[-1].sent > 2000' "$scratch/streams" || { cat "$scratch/streams" && false; }
}

# holds KIND SECONDS WHAT: nothing is lost, and that is so of the strange hellos
holds() { soon fabric check wiring && strange "$1" "$2" && said "$3" && lost_none; }

head -c 32 /dev/urandom >"$scratch/key"
chmod 600 "$scratch/key"
for key in key none; do
  [ $key = key ] || in_full "without a key" || continue
  if [ $key = key ]; then up -l 3 -d 2 --hello-key "$scratch/key"; else up -l 3 -d 2; fi
  well "$key: all links are up"
  decide "$key: of thousands of hellos that do not belong each is counted, no link changes, nothing is lost" \
    undisturbed 200 holds play 20 '.frames > 1000 and .counted == .frames and .changed == {}'
  check "$key: the log says what comes back" \
    grep 'port u0: on this link hellos of this switch come back' /run/drbswitch/drb/log/s1-0.log
  decide "$key: 20,000 forged ones a second change no link, nothing is lost" \
    undisturbed 100 holds flood 5 '.changed == {} and .counted > 1000'
  check "$key: packets are conserved" drbctl check
  check "$key: down" fabric down
done
finish
