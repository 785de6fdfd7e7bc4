#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Drains and undrains a core, a switch of layer 2 and one port under fixed streams at load 0.5.
# Nothing is lost, and the traffic there goes to zero and comes back. A switch refuses a drain that
# would isolate a host, and a drained switch serves again where another one dies.
# Quiet: no packet may be lost.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl
need_tool jq python3

# packets SWITCH [PORT]: counts packets that came in or went out there
packets() {
  drbctl show "$1" ports --json | jq -s --arg port "${2:-}" \
    'map(select($port == "" or .port == $port) | .in_packets + .out_packets) | add'
}

all_packets() { drbctl show --all ports --json | jq -s 'map(.out_packets) | add'; }

quiet() { # quiet SWITCH [PORT]: no packet passes there while the streams run
  local all before
  all=$(all_packets) && before=$(packets "$@") && sleep 0.3 || return
  [ "$(packets "$@")" = "$before" ] && [ "$(all_packets)" -gt $((all + 100)) ] ||
    { echo "$before packets, then $(packets "$@")" && false; }
}

busy() { # busy SWITCH [PORT]: the streams use it
  local before
  before=$(packets "$@") && sleep 0.3 && [ "$(packets "$@")" -gt $((before + 5)) ]
}

state() { # state SWITCH PORT TEXT: the switch reports this state of its port
  drbctl show "$1" links --json | jq -se --arg p "$2" --arg s "$3" \
    'map(select(.port == $p))[0].state == $s' >/dev/null || { drbctl show "$1" links && false; }
}

drops() { drbctl show --all drops --json | jq -s 'map(.no_route + .port_down + .not_below + .same_port) | add'; }

# drained_and_back SWITCH [PORT]: it is in use, becomes quiet, and is in use again
drained_and_back() {
  local what=$1${2:+.$2}
  soon busy "$@" && drbctl drain "$what" && soon quiet "$@" && drbctl undrain "$what" && soon busy "$@"
}

# lossless SWITCH [PORT]: it is drained while streams run, and all packets arrive. Losses do not
# count if a control process or a switch got no CPU for so long that rings overflow or hellos are
# missed.
lossless() { decide "$*: drained and back, nothing is lost, nor dropped for want of a way" undisturbed 100 loses_nothing "$@"; }
loses_nothing() {
  local before streams status
  before=$(drops)
  python3 -B "$root/tests/live/faults/heal.py" drb 16 4 600 >"$scratch/events" &
  streams=$!
  drained_and_back "$@"
  status=$?
  kill -TERM $streams
  wait $streams
  cat "$scratch/events"
  echo "$(($(drops) - before)) dropped for want of a way"
  [ $status = 0 ] && [ "$(drops)" = "$before" ] && jq -e '.lost == 0' "$scratch/events"
}

up -l 3 -d 2 --rate 250pps
check "80 ports are usable" soon usable 80

lossless s3-1
lossless s2-4
lossless s2-2 u1
lossless s2-6 d0
check "all ports are usable" soon usable 80

check "a switch with hosts" fails_with 1 's1-0: not drained: its hosts have no other path' drbctl drain s1-0
check "a host's port" fails_with 1 's1-0: d1 not drained: h1 has no other path' drbctl drain s1-0.d1
check "no such port" fails_with 1 "s3-0: no port 'u0'" drbctl drain s3-0.u0
check "no such switch" fails_with 1 'drb-s3-9: not running' drbctl drain s3-9
check "no switch" fails_with 2 "'core' is not a switch" drbctl drain core
check "one uplink" drbctl drain s1-3.u0
check "the other one" fails_with 1 's1-3: u1 not drained: no other uplink is in use' drbctl drain s1-3.u1
check "it says so" state s1-3 u0 drained
check "so does its neighbour" soon state s2-2 d1 "drained by neighbour"
check "drained over a reload" drbctl reload s1-3
check "it is still" state s1-3 u0 drained
check "undrain all" drbctl undrain --all
check "all ports are usable again" soon usable 80

# One of two switches is drained. The other one cannot be drained, and then dies.
check "s2-4 drained" drbctl drain s2-4
check "its neighbours know" soon state s1-5 u0 "drained by neighbour"
check "wired as ever, and every pair, around it" soon fabric check wiring ping
check "s2-5 is needed" soon fails_with 1 's2-5: d[01] not drained: s1-[45] has no other uplink' drbctl drain s2-5
kill -KILL "$(drbctl list --json | jq -r 'select(.switch == "s2-5") | .pid')"
check "s2-5 died: s2-4 is needed" soon state s2-4 d0 "drained, still needed"
check "above they know" soon state s3-0 d2 "drained by neighbour, still needed"
check "every pair, by the drained switch" soon fabric check ping
fabric exec s2-5 -- "$build/src/switch/drbswitch" -c /run/drbswitch/drb/s2-5.yaml >/dev/null 2>&1 &
check "s2-5 is back: s2-4 is not needed" soon state s2-4 d0 drained
check "every pair" soon fabric check ping
check "s2-4 undrained" drbctl undrain s2-4
check "all ports are usable in the end" soon usable 80
check "packets are conserved" drbctl check
check "down" fabric down
finish
