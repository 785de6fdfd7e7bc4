#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# drbctl events reports each event at a switch at once, in one line. Tests both ends of a cut link,
# switches that end and come again, keys that are set, and drops that begin.
# Quiet: the time to an event is measured.
# Full: it waits for each event; test_changes.c tests all of them.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl
need_tool jq

up -l 2 -d 2 --rate 20000pps --links memif
# Switches are ready before both ends of the last link have heard each other, which is an event,
# too.
well "all links are up"

told() { # told JQ_CONDITION: some event fulfils it
  jq -es "any(.[]; $1)" "$scratch/events" >/dev/null || { cat "$scratch/events" && return 1; }
}

# Seeing this event proves that drbctl has polled once. Earlier states are not reported.
sets() { drbctl set s2-1 threshold=5 2>/dev/null && drbctl set s2-1 threshold=2 2>/dev/null && told '.what == "threshold"'; }
# Hosts join multicast groups when they come up, so those drops are ignored.
no_others() {
  jq -es 'map(select(.what != "threshold" and (.what != "drops" or (.after | startswith("multicast ") | not)))) |
    if . == [] then true else error(tojson) end' "$scratch/events"
}
begin() { "$build/src/ctl/drbctl" events --json --interval 20ms >"$scratch/events" 2>"$scratch/said" & }
# Also fails if another event is reported, as when a switch gets no CPU or a link changes.
threshold_is_told() {
  local status
  settled wiring >/dev/null
  begin
  soon sets && soon told '.switch == "s2-1" and .fabric == "drb" and .before == "5" and .after == "2"' && no_others
  status=$?
  kill $!
  wait $!
  return $status
}
decide "a threshold that is set is told with its value before, nothing else is" undisturbed 200 threshold_is_told
begin
teller=$!
check "it is told again" soon sets

check "a scheme" drbctl set s2-1 scheme=dmodk
check "is told" soon told '.switch == "s2-1" and .what == "scheme" and .before == "drb" and .after == "dmodk"'

check "a config that is read again" drbctl reload s1-0
check "is told" soon told '.switch == "s1-0" and .what == "reloads" and .before == "0" and .after == "1"'

# port_goes SWITCH PORT FROM TO: an event since $since_ms shows this change
port_goes() {
  told ".unix_ms >= $since_ms and .switch == \"$1\" and .port == \"$2\" and .what == \"state\" and .before == \"$3\" and .after == \"$4\""
}
# cut_is_told: both ends of a link are reported within half a second, and no other port
cut_is_told() {
  local ended_ms ms
  since_ms=$((${EPOCHREALTIME/./} / 1000))
  fabric cut s1-0.u0 && ended_ms=$((${EPOCHREALTIME/./} / 1000)) &&
    soon port_goes s1-0 u0 up down >/dev/null && soon port_goes s2-0 d0 up down >/dev/null || return
  ms=$(jq -s "map(select(.unix_ms >= $since_ms and .after == \"down\") | .unix_ms) | max - $ended_ms" "$scratch/events")
  jq -s "map(select(.unix_ms >= $since_ms and .what == \"state\") | \"\(.switch).\(.port)\") | sort |
    if . == [\"s1-0.u0\", \"s2-0.d0\"] then empty else error(tostring) end" "$scratch/events" || return
  since_ms=$((${EPOCHREALTIME/./} / 1000))
  fabric mend s1-0.u0 && soon port_goes s1-0 u0 down up >/dev/null && soon port_goes s2-0 d0 down up >/dev/null || return
  echo "told $ms ms after the link was cut" | tee "$scratch/took"
  [ "$ms" -le 500 ]
}
decide "a link that is cut and mended is told at both ends, in half a second" undisturbed 100 cut_is_told
sed 's/^/# /' "$scratch/took"

stray() { # stray: IPv4 packets from an address that is not the host's
  fabric exec h0 -- python3 -c "
import socket
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
s.bind(('eth0', 0))
for _ in range(20):
    s.send(bytes.fromhex('020000000007020000000000') + b'\x08\x00' + bytes(50))"
}
check "none is told before" bash -c "! grep spoofed '$scratch/events'"
check "packets with a false address" stray
check "drops that begin are told, by name" soon told '.switch == "s1-0" and .what == "drops" and
  (.before == "") and (.after | test("^spoofed_ip [0-9]+$"))'
check "once while they last" jq -es 'map(select(.what == "drops" and (.after | startswith("spoofed_ip")))) | length == 1' "$scratch/events"

# A link is down for a second. Both changes are reported although one switch does not reply.
check "all is well before" soon fabric check wiring
since_ms=$((${EPOCHREALTIME/./} / 1000))
check "a switch is paused" fabric pause s2-1
cut_for_a_second() { fabric cut s1-1.u0 && sleep 1 && fabric mend s1-1.u0; }
check "meanwhile a link is down for a second" cut_for_a_second
check "its end is told" soon port_goes s1-1 u0 down up
check "and its beginning" port_goes s1-1 u0 up down
check "the switch is told as hung" soon told '.switch == "s2-1" and .what == "switch" and .before == "running" and .after == "hung"'
# The cause is told before its effect, although neighbours notice it sooner.
precedes() { # precedes FIRST THEN: the first events of both JQ conditions are in this order
  jq -es "map(select(.unix_ms >= $since_ms)) | (map($1) | index(true)) as \$a | (map($2) | index(true)) as \$b |
    \$a != null and \$b != null and \$a < \$b" "$scratch/events" >/dev/null || { cat "$scratch/events" && return 1; }
}
check "before its neighbours miss it" soon precedes '.switch == "s2-1" and .after == "hung"' '.switch == "s1-0" and .port == "u1" and .after == "down"'
check "it goes on" fabric resume s2-1
check "that is told, too" soon told '.switch == "s2-1" and .what == "switch" and .before == "hung" and .after == "running"'

# A switch that ends, or waits for a CPU, also does not reply for a while.
is_paused_shortly() {
  local pid
  pid=$(pid_of s2-1) && drbctl set s2-1 threshold=4 || return
  since_ms=$((${EPOCHREALTIME/./} / 1000))
  kill -STOP "$pid" && sleep 1.3 && kill -CONT "$pid" && drbctl set s2-1 threshold=7 &&
    soon told ".unix_ms >= $since_ms and .after == \"7\"" &&
    jq -es "map(select(.unix_ms >= $since_ms and .what == \"switch\")) | length == 0" "$scratch/events"
}
decide "a pause of a second is not told" undisturbed 100 is_paused_shortly

check "a switch is stopped" fabric stop s2-1
check "it is told" soon told '.switch == "s2-1" and .what == "switch" and .before == "running" and .after == "stopped"'
since_ms=$((${EPOCHREALTIME/./} / 1000))
check "it is started" fabric start s2-1
check "that is told" soon told '.switch == "s2-1" and .what == "switch" and .after == "running" and .unix_ms >= '$since_ms

since_ms=$((${EPOCHREALTIME/./} / 1000))
check "a switch is killed" fabric kill s2-1
check "it is told as dead" soon told '.switch == "s2-1" and .what == "switch" and .before == "running" and .after == "dead"'
check "before its neighbours miss it" soon precedes '.switch == "s2-1" and .after == "dead"' '.switch == "s1-0" and .port == "u1" and .after == "down"'
check "it is started again" fabric start s2-1
check "that is told, too" soon told '.switch == "s2-1" and .what == "switch" and .after == "running" and .unix_ms >= '$since_ms

kill $teller
wait $teller
check "it ends well on SIGTERM" test $? = 0
check "it said that it waits, and nothing else" test "$(cat "$scratch/said")" = 'drbctl: waiting for events of 6 switches: 6 running'

well "its links are up again, too"
"$build/src/ctl/drbctl" events --count 1 >"$scratch/lines" &
teller=$!
one() { drbctl set s1-1 threshold=$((RANDOM % 9 + 3)) 2>/dev/null; [ -s "$scratch/lines" ]; }
check "one event" soon one
found() { grep -qxE "$@" || { cat "${!#}" && false; }; }
wait $teller
check "ends it, if one was wanted" test $? = 0
check "as a line to read" found '[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3} drb-s1-1: threshold [0-9.]+ -> [0-9.]+' "$scratch/lines"
check "one line" test "$(wc -l <"$scratch/lines")" = 1
check "an interval too short is usage" fails_with 2 '--interval 1ms: must be a time from 10ms' drbctl events --interval 1ms
check "none wanted, too" fails_with 2 '--count 0: must be a whole number from 1' drbctl events --count 0
check "down" fabric down
check "nothing is left" nothing_left
finish
