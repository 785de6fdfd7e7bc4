#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Measures how soon both ends of a link detect that it is dead, or dead in one direction. Uses 20
# links of F(3,2), hellos every 100 ms, and the switches' own clocks. Then tests other findings of
# hellos: a neighbour with another key or other addresses.
# Alone: times are measured.
# Full: heal.sh and unit tests of link faults have the same limits.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl
need_tool jq python3 clang

within_ms=400

object=$scratch/drop.o
if ! clang -target bpf -O2 -isystem "/usr/include/$(gcc -print-multiarch)" -DHELLOS \
  -c "$root/topo/bpf/gray_link.bpf.c" -o "$object" 2>"$scratch/said"; then
  cannot_run "clang makes no BPF program: $(head -1 "$scratch/said")"
fi

median_is_within() { # uses the slower end of each link
  jq -se --argjson most $within_ms 'map([.lower_ms, .upper_ms] | max) | sort | .[length / 2] <= $most' "$1"
}

detect() {
  python3 -B "$root/tests/live/faults/detect.py" drb "$1" "$object" >"$scratch/$1" && median_is_within "$scratch/$1"
}

head -c 32 /dev/urandom >"$scratch/key"
chmod 600 "$scratch/key"
up -l 3 -d 2 --hello-key "$scratch/key"
if ! said=$(ip -n drb-s1-0 link set dev u0 xdpgeneric obj "$object" sec xdp 2>&1); then
  skip "faults in one direction" "$said"
  check "down" fabric down
  finish
  exit
fi
ip -n drb-s1-0 link set dev u0 xdpgeneric off
for kind in one-way dead; do
  decide "$kind: 20 links, found and put right, median within $within_ms ms" undisturbed 50 detect $kind
  jq -rs --arg kind $kind 'map([.lower_ms, .upper_ms] | max) | sort |
    "# \($kind): \(length) links, both ends know after \(.[0]) to \(.[-1]) ms, median \(.[length / 2])"' "$scratch/$kind"
done

# A switch with another key is not accepted as a neighbour, and both switches report that.
says() { trouble "$1" | grep -F -- "$2" || { drbctl list && false; }; }
gone() { ! kill -0 "$1" 2>/dev/null; }
# again_with SWITCH SED-SCRIPT: stops a switch, changes its config, and starts it
again_with() {
  local pid
  pid=$(pid_of "$1")
  kill -TERM "$pid" && soon gone "$pid" || return
  sed -i "$2" "/run/drbswitch/drb/$1.yaml"
  "$root/topo/fabric" exec "$1" -- "$build/src/switch/drbswitch" -c "/run/drbswitch/drb/$1.yaml" >"$scratch/$1" 2>&1 &
}
head -c 32 /dev/urandom >"$scratch/other"
check "another key" again_with s2-0 "s|$scratch/key|$scratch/other|"
check "another key: it says so" soon says s2-0 "d0: s1-0.u0 has another fabric.hello_key"
check "another key: so does its neighbour" soon says s1-0 "u0: s2-0.d0 has another fabric.hello_key"
check "another key: it is not used" soon says s1-0 "u0 down"
check "another key: hellos are dropped by name" jq -se '.[0].forged_hello > 0' <(drbctl show s1-0 drops --json)
decide "every pair, around it" undisturbed 200 fabric check ping
check "the same key" again_with s2-0 "s|$scratch/other|$scratch/key|; s|^fabric:|fabric:\n  ipv4: 10.0.0.0/9|"
check "another prefix: its neighbour says so" soon says s1-0 "u0: s2-0.d0 has another fabric.ipv4"
check "another prefix: it is said once" test "$(grep -c 'has another fabric.ipv4' "$scratch/s2-0")" = 4
check "packets are conserved" drbctl check
check "down" fabric down
finish
