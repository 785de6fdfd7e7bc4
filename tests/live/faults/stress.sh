#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What can happen to a fabric while measured traffic runs: a carrier that goes, and one that goes again
# and again, a switch that is stopped for a second, a stats socket that never rests, and the end of
# everything in the middle. Each says how many packets it cost and how long after it every pair reaches
# every other again. (Twice the load that links carry: overload.sh.)
# Quiet: no packet may be lost.
# Full: heal.sh, crash.sh and drain.sh each do one of these to a fabric.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl drbgen
need_tool jq python3

pid_of() { drbctl list --csv | awk -F, -v name="$1" '$2 == name { print $(NF - 1) }'; }
now_ms() { echo $(($(date +%s%N) / 1000000)); }

# during NAME COMMAND...: a fault while traffic runs; what it cost is printed
during() {
  local name=$1 begun replay
  shift
  drbgen replay "$scratch/traffic" --json >"$scratch/report" 2>/dev/null &
  replay=$!
  sleep 1
  check "$name: happens" "$@"
  begun=$(now_ms)
  until fabric check ping >"$scratch/pings" 2>&1; do
    if [ $(($(now_ms) - begun)) -gt 20000 ]; then
      not_ok "$name: every pair again" && sed 's/^/#   /' "$scratch/pings"
      break
    fi
  done
  echo "# $name: every pair again within $(($(now_ms) - begun)) ms"
  wait $replay
  jq -r --arg name "$name" '"# \($name): \(.lost) of \(.sent) packets lost, \(.reordered) reordered"' \
    "$scratch/report"
  check "$name: packets are conserved" drbctl check
}

report_says() { cat "$scratch/report" && jq -e "$1" "$scratch/report"; }

carrier() { # carrier NAMESPACE INTERFACE SECONDS: gone for so long
  ip -n "$1" link set "$2" down && sleep "$3" && ip -n "$1" link set "$2" up
}

carries() { # carries SWITCH PORT: packets of the traffic leave by it
  drbctl show "$1" ports --json | jq -se --arg p "$2" '.[] | select(.port == $p) | .out_packets > 200'
}

flap() {
  local times=10
  while [ $((times--)) -gt 0 ]; do carrier drb-s2-1 u0 0.05 && sleep 0.05 || return; done
}

pause() { # pause SWITCH: SIGSTOP for a second
  local pid
  pid=$(pid_of "$1") && kill -STOP "$pid" && sleep 1 && kill -CONT "$pid"
}

# Ten clients ask one switch for everything, as fast as it answers.
flood() {
  python3 - /run/dpdk/drb-s2-0/dpdk_telemetry.v2 <<'END'
import socket, sys, threading, time
end, asked = time.monotonic() + 2, [0] * 10
def client(i):
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as s:
        s.connect(sys.argv[1])
        s.recv(1 << 16)
        while time.monotonic() < end:
            for command in (b'/drb/ports', b'/drb/routing', b'/drb/worker', b'/drb/port,d0', b'/drb/nothing'):
                s.send(command)
                assert s.recv(1 << 20)
                asked[i] += 1
threads = [threading.Thread(target=client, args=(i,)) for i in range(10)]
for t in threads: t.start()
for t in threads: t.join()
print(asked)
assert min(asked) > 10
END
}

drbgen write -l 3 -d 2 --traffic stride:5 --load 0.5 --slot 4ms --slots 1000 --out "$scratch/traffic" 2>/dev/null
up -l 3 -d 2
during "carrier" carrier drb-s2-0 u1 0.5
check "carrier: of a link in use" carries s2-0 u1
during "flapping" flap
check "flapping: of a link in use" carries s2-1 u0
during "a core switch stopped for 1 s" pause s3-1
during "telemetry flooded" flood
check "telemetry flooded: nothing is lost" report_says '.lost == 0'
check "switches run as before" test "$(drbctl list --csv | grep -c ',ready,')" = 20

# The end in the middle.
drbgen replay "$scratch/traffic" --json >"$scratch/report" 2>"$scratch/said" &
replay=$!
sleep 1
begun=$(now_ms)
check "down in the middle" fabric down
echo "# down in the middle: took $(($(now_ms) - begun)) ms"
wait $replay
check "the generator says that it failed" test $? != 0
check "nothing is left" nothing_left
up -l 3 -d 2
check "up again: every pair" fabric check
check "down" fabric down
finish
