#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Links lose a share or a kind of frames in one direction, under streams at load 0.3. Both ends stop
# using them within two seconds, other traffic loses nothing, and drbctl names the direction. A link
# that loses one frame in a thousand stays in use, and its loss is shown.
# Alone: times and losses are measured.
# Full: it waits until losses are sure; test_link_loss.c tests the rule.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl drbgen
need_tool jq python3 clang

within_ms=2000

# compile NAME FLAG...: makes an XDP program that drops frames
compile() {
  local object=$scratch/$1.o
  shift
  clang -target bpf -O2 -isystem "/usr/include/$(gcc -print-multiarch)" "$@" \
    -c "$root/topo/bpf/gray_link.bpf.c" -o "$object" 2>"$scratch/said" ||
    cannot_run "clang makes no BPF program: $(head -1 "$scratch/said")"
}
compile 5-percent -DHELLOS -DPERMILLE=50
compile 10-percent -DHELLOS -DPERMILLE=100
compile 40-percent -DHELLOS -DPERMILLE=400
compile data
compile long -DHELLOS -DLONGER=1000
compile thousandth -DHELLOS -DPERMILLE=1

# links PORT...: prints SWITCH.PORT STATE SINCE_MS for each port
links() {
  PYTHONPATH=$root/topo python3 -B - "$@" <<'END'
import sys
from drbfabric.fabric.telemetry import Telemetry
for name in sys.argv[1:]:
    switch, port = name.split('.')
    with Telemetry(f'drb-{switch}') as telemetry:
        reply = telemetry.ask(f'/drb/port,{port}')
        print(name, reply['state'], reply['since_ns'] // 1000000)
END
}
are() { [ "$(links "${@:2}" | grep -c " $1 ")" = $(($# - 1)) ] || { links "${@:2}" && false; }; }
clock_ms() { python3 -c 'import time; print(time.monotonic_ns() // 1000000)'; }
# lossy PORT OTHER FILE: attaches the XDP program of FILE to PORT, and waits for up to a minute
# until both ports are lossy. Writes how many ms that took into $scratch/took.
lossy() {
  PYTHONPATH=$root/topo python3 -B - "$@" >"$scratch/took" <<'END'
import subprocess
import sys
import time
from drbfabric.fabric.telemetry import Telemetry
ports, program = [name.split('.') for name in sys.argv[1:3]], sys.argv[3]
(switch, port), clients = ports[0], [Telemetry(f'drb-{switch}') for switch, _ in ports]
subprocess.run(['ip', '-n', f'drb-{switch}', 'link', 'set', 'dev', port, 'xdpgeneric', 'obj', program, 'sec', 'xdp'],
               check=True)
begun = time.monotonic_ns()
while time.monotonic_ns() < begun + 60e9:
    replies = [client.ask(f'/drb/port,{port}') for client, (_, port) in zip(clients, ports)]
    if all(reply['state'] == 'lossy' for reply in replies):
        print(max(reply['since_ns'] - begun for reply in replies) // 1000000)
        sys.exit()
    time.sleep(0.02)
print(60000)
sys.exit(f'not within a minute: {[reply["state"] for reply in replies]}')
END
}
# in_time NAME COMMAND...: checks the result of a watched command. A failure is undecided if
# switches waited for a CPU, or if no CPU was free.
in_time() {
  if ! "${@:2}" >/dev/null && { disturbed 100 || jq -e '.free < 10' "$scratch/machine"; } >"$scratch/said"; then
    undecided "$1" "$(head -n 1 "$scratch/said")"
  else
    check "$@"
  fi
}
# keep_sending: replays, again and again until a link was found to be lossy
keep_sending() { while replay && [ ! -s "$scratch/took" ]; do :; done; }
lost_none() { cat "$scratch/report" && jq -e '.lost == 0 and .sent > 30000' "$scratch/report"; }
replay() { # replay: succeeds even if packets are lost
  drbgen replay "$scratch/traffic" --json >"$scratch/report" 2>/dev/null
  [ $? -le 1 ]
}
# drops PORT obj FILE sec xdp | off: attaches a program, or removes it
drops() { ip -n "drb-${1%.*}" link set dev "${1#*.}" xdpgeneric "${@:2}"; }

# names SWITCH PATTERN: its trouble matches
names() { trouble "$1" | grep -E -- "$2" || { trouble "$1" && false; }; }
much='([1-9]|[1-9][0-9]+)\.[0-9] %' little='0\.[0-9] %'

every_link() {
  local switch
  for switch in s1-{0..7}; do echo "$switch".u{0,1}; done
  for switch in s2-{0..7}; do echo "$switch".{d,u}{0,1}; done
  for switch in s3-{0..3}; do echo "$switch".d{0..3}; done
}
touched=()
others_unchanged() {
  local name others=()
  for name in $(every_link); do
    [[ " ${touched[*]} " = *" $name "* ]] || others+=("$name")
  done
  [ "${#others[@]}" = $((64 - ${#touched[@]})) ] && links "${others[@]}" | awk -v begun="$begun_ms" '
    $2 != "up" || $3 > begun { print; changed = 1 } END { exit changed }'
}

# gray NAME PORT OTHER: the link between these ports loses frames that arrive at PORT
gray() {
  local sender sent
  touched+=("$2" "$3")
  : >"$scratch/took"
  keep_sending &
  sender=$!
  sleep 1
  check "$1: found" watched lossy "$2" "$3" "$scratch/$1.o"
  echo "# $1: after $(cat "$scratch/took") ms"
  in_time "$1: within $within_ms ms" test "$(cat "$scratch/took")" -le $within_ms
  echo "# $1: $(trouble "${2%.*}")"
  if [ "$1" = long ]; then
    check "$1: named" names "${2%.*}" "${2#*.} lossy: loses all long frames from $3"
  else
    check "$1: named" soon names "${2%.*}" "${2#*.} lossy: loses $much from $3, $little to it"
    check "$1: named at the other end" soon names "${3%.*}" "${3#*.} lossy: loses $little from $2, $much to it"
  fi
  wait $sender
  sent=$?
  check "$1: traffic was sent" test $sent = 0
  jq -r --arg name "$1" '"# \($name): \(.lost) of \(.sent) packets lost before and after"' "$scratch/report"
  check "$1: traffic around it" replay
  decide "$1: traffic around it loses nothing" undisturbed_replay
  check "$1: it stays so" are lossy "$2" "$3"
  drops "$2" off
}
undisturbed_replay() {
  lost_none && return
  undisturbed 100 replay_loses_none
}
replay_loses_none() { replay && lost_none; }

drbgen write -l 3 -d 2 --traffic stride:5 --load 0.3 --slot 500us --slots 9000 --out "$scratch/traffic" 2>/dev/null
up -l 3 -d 2 --rate 2000pps
check "links are up" soon are up s1-0.u0 s2-0.d0
begun_ms=$(clock_ms)
if ! said=$(drops s1-0.u0 obj "$scratch/thousandth.o" sec xdp 2>&1); then
  skip "gray links" "$said"
  check "down" fabric down
  finish
  exit
fi
shows_loss() { drbctl show s1-0 links --json | jq -se 'map(select(.port == "u0"))[0].loss_in_percent > 0'; }
# Each replay sends 2700 packets over the link, so six of them lose 16 packets on average.
for ((i = 0; i < 6; i++)); do
  check "a thousandth: traffic" replay
  ! shows_loss >/dev/null || break
done
check "a thousandth: the link is in use" are up s1-0.u0 s2-0.d0
check "a thousandth: is shown" soon shows_loss
drops s1-0.u0 off
# Paths over each of these links avoid the others, because switches know detours around those.
gray 5-percent s1-0.u1 s2-1.d0
gray data s3-3.d3 s2-7.u1
gray 10-percent s2-2.d0 s1-2.u0
gray 40-percent s2-4.u0 s3-0.d2
gray long s1-7.u1 s2-7.d1
check "no other link changed its state" others_unchanged
check "by its verb" fabric gray s1-4.u1
check "by its verb: again" fabric gray s1-4.u1
both_find() { replay && are lossy s1-4.u1 s2-5.d0; }
check "by its verb: both ends find it" soon both_find
has_program() { ip -n drb-s1-4 link show u1 | grep -q xdp; }
check "by its verb: an XDP program loses the frames" has_program
check "by its verb: mended" fabric mend s2-5.d0
check "by its verb: no program is left" eval '! has_program'
decide "every pair" undisturbed 200 fabric check ping
check "packets are conserved" drbctl check
check "down" fabric down
finish
