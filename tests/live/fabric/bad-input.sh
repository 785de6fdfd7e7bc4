#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Each mistake about a fabric gives one clear line and exit status 2, and leaves nothing
# half-started.
# Full: a fabric starts for many mistakes; unit tests of keys and plans have the messages.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbgen
need_tool jq

refused() { # refused NAME PATTERN COMMAND...
  local name=$1 pattern=$2
  shift 2
  check "$name" fails_with 2 "$pattern" "$@"
}

# Make the same mistakes when planning a fabric and when bringing one up.
for verb in "drbtopo plan" "drbtopo plan --out $scratch/plan" "fabric up"; do
  # shellcheck disable=SC2086 # a command and its arguments
  try() {
    local name=$1 pattern=$2
    shift 2
    refused "${verb%% --*}: $name" "$pattern" $verb "$@"
  }
  try "no layers" '--layers 0' -l 0 -d 2
  try "layers that are no number" '--layers 3x' -l 3x -d 2
  try "an arity of more ports than a switch has" '--arity 33: a switch has 2d ports, at most 64' -l 2 -d 33
  try "labels that overflow" 'F\(16,16\) .*overflow' -l 16 -d 16
  try "an unknown scheme" '--scheme best.*drb' -l 2 -d 2 --scheme best
  try "a negative threshold" '--threshold -1' -l 2 -d 2 --threshold -1
  try "a rate without unit" '--rate 500:' -l 2 -d 2 --rate 500
  try "slots without a rate" '--slotted.*--rate' -l 2 -d 2 --slotted
  try "slots of a rate in bit/s" '--slotted.*--rate' -l 2 -d 2 --slotted --rate 10Mbit
  try "an empty queue" '--queue 0' -l 2 -d 2 --queue 0
  try "an unknown driver" '--driver tap' -l 2 -d 2 --driver tap
  try "a driver that no fabric has" '--driver memif: must be af_packet, af_xdp' -l 2 -d 2 --driver memif
  try "links that no fabric has" '--links wire: must be veth or memif' -l 2 -d 2 --links wire
  try "a name that is a path" "--fabric '../x'" -l 2 -d 2 --fabric ../x
  try "a name that is too long" '--fabric' -l 2 -d 2 --fabric abcdefghijklmnopqrstuvwxy
  try "hosts that do not fit into the network" 'do not fit' -l 3 -d 2 --ipv4 10.0.0.0/28
  try "a network with host bits" '--ipv4 10.0.0.1/8' -l 3 -d 2 --ipv4 10.0.0.1/8
  try "a multicast network" '--ipv4 232.0.0.0/8: hosts need a unicast network' -l 3 -d 2 --ipv4 232.0.0.0/8
  try "a link-local network" '--ipv6 fe80:1::/64: hosts need a unicast network' -l 3 -d 2 --ipv6 fe80:1::/64
  try "a group as MAC" '--mac 01:00: must be two bytes of a unicast address, like 02:00' -l 3 -d 2 --mac 01:00
  try "a stray argument" 'stray' -l 3 -d 2 stray
done
check "no plan was written" test ! -e "$scratch/plan"
refused "plan: a folder that cannot be" '/proc/x' drbtopo plan -l 2 -d 2 --out /proc/x
refused "plan: no folder at all" '/dev/null: Not a dir' drbtopo plan -l 2 -d 2 --out /dev/null
refused "list: an unknown kind" "cannot list 'ports': must be switches, links or hosts" drbtopo list ports -l 2 -d 2
refused "schemes: an argument" "'drb'" drbtopo schemes drb
refused "drbtopo: no verb" 'a verb is missing: must be plan, graph, commands, list or schemes' drbtopo
refused "drbtopo: an unknown verb" "no verb 'draw': must be .*see drbtopo --help" drbtopo draw
refused "drbgen replay: a slot without unit" '--slot 2: must be a time, such as 200ms or 2s' drbgen replay --slot 2 .
# If the kernel refuses something, the message is our own.
without() { # without CAPABILITIES COMMAND...
  setpriv --bounding-set "$1" --inh-caps "$1" "${@:2}"
}
read_only() { unshare --mount sh -c 'mount -o remount,ro,bind /run && exec "$@"' sh "$@"; }
check "up: without CAP_SYS_ADMIN" fails_with 1 'not permitted: it takes the capabilities SYS_ADMIN, .*topo/rootless' \
  without -sys_admin "$root/topo/fabric" up -l 1 -d 1
check "up: a /run that is read-only" fails_with 1 '^drbfabric: /run/[^:]*: it cannot be written to: mount a tmpfs at /run' \
  read_only "$root/topo/fabric" up -l 1 -d 1
refused "exec: no fabric" 'is not up' fabric exec h0 -- true
refused "check: no fabric" 'is not up' fabric check
refused "replan: no fabric" 'is not up' fabric replan --scheme ecmp
refused "fabric: no verb" 'VERB' fabric
refused "fabric: an unknown verb" 'draw' fabric draw
refused "fabric: an unknown option" "unknown argument '--csw' .see topo/fabric status --help" fabric status --csw
refused "scenario: an interval without unit" "'5': must be a time such as 100ms or 5s" fabric scenario x --interval 5
refused "scenario: two things from one input" "not both" fabric scenario - --replay -
ip netns add drb-h1
refused "up: a namespace of somebody else" 'namespace .* exists and is not of this fabric: take another --fabric, or remove what is left: .*ip netns delete' \
  fabric up -l 2 -d 2
ip netns delete drb-h1
refused "check: an unknown check" "cannot check 'pings': must be wiring, ping" fabric check pings
refused "check: an empty sample" '--sample' fabric check --sample 0
refused "up: an empty timeout" '--timeout' fabric up -l 2 -d 2 --timeout 0
check "nothing was started" nothing_left

# Few files may be open at once: fewer than the fabric has links, nodes and processes.
drbgen write -l 3 -d 2 --load 0.3 --slots 20 --out "$scratch/traffic"
few() (ulimit "$1" "$2" && "${@:3}")
check "few open files: up" few -n 40 "$root/topo/fabric" up -l 3 -d 2 --rate 500pps
check "check" few -n 40 "$root/topo/fabric" check
check "replan" few -n 40 "$root/topo/fabric" replan --scheme walk
for verb in "drbctl metrics" "drbctl record -" "drbctl serve --listen 127.0.0.1:9346" "drbctl events"; do
  # shellcheck disable=SC2086 # a command and its arguments
  check "$verb: names the limit" fails_with 1 '20 switches take 36 open files, and this process may have .*ulimit -n 36' few -n 30 $verb
done
check "replay: names the limit" fails_with 2 '16 hosts take 128 open files.*ulimit -n 128' few -n 40 drbgen replay "$scratch/traffic"
check "metrics raises a soft limit" test "$(few -Sn 30 drbctl metrics | grep -c '^drb_up.* 1$')" = 20
check "replay raises a soft limit" few -Sn 40 drbgen replay "$scratch/traffic"
check "few open files: down" few -n 40 "$root/topo/fabric" down
check "nothing is left of it" nothing_left
up -l 2 -d 2
refused "exec: an unknown node" "no node 'h99': hosts are h0 to h7, switches s1-0 to s2-1" fabric exec h99 -- true
refused "exec: no command" 'command is missing' fabric exec h0 --
refused "exec: an unknown command" 'no-such-program' fabric exec h0 -- no-such-program
refused "replan: another size" 'take it down and up again' fabric replan -d 3
refused "replan: another MTU" 'changes the mtu of the fabric: take it down and up again' fabric replan --mtu 9000
refused "replan: an unknown scheme" '--scheme best' fabric replan --scheme best
refused "another fabric" 'is not up.*drb' fabric check --fabric other
drbgen write -l 3 -d 2 --slots 10 --slot 2ms --out "$scratch/traffic" 2>/dev/null
refused "replay: traffic of another fabric" "traffic: traffic of F.3,2., 16 hosts, but fabric drb has 8" \
  drbgen replay "$scratch/traffic"
head -c 24 "$scratch/traffic/h0.pcap" >"$scratch/empty.pcap"
refused "replay: an empty capture" "empty.pcap: there is no packet to send" \
  drbgen replay "$scratch/empty.pcap"
python3 -B "$root/tests/live/traffic/make_capture.py" "$scratch/long.pcap" 2 long
printf '192.168.0.0/16 h0\n8.0.0.0/8 h1\n' >"$scratch/map"
refused "replay: packets that no interface takes" \
  '1 are longer than the interfaces take .captured before segmentation. topo/fabric up --offloads off, or ethtool -K' \
  drbgen replay "$scratch/long.pcap" --map "$scratch/map"
drbgen write -l 2 -d 2 --slots 10 --slot 2ms --out "$scratch/fitting" 2>/dev/null
unprivileged() { setpriv --bounding-set=-sys_admin "$build/src/gen/drbgen" "$@"; }
refused "replay: an ordinary user" \
  'h0: cannot enter /run/netns/drb-h0: .*: needs root; without, run it through topo/rootless' \
  unprivileged replay "$scratch/fitting"
well "the fabric was not disturbed"
cp /run/drbswitch/drb/state.json "$scratch/state"
jq '.maker = "Mininet"' "$scratch/state" >/run/drbswitch/drb/state.json
refused "replan: a fabric of Mininet's" 'fabric drb is made by Mininet: end it there and begin with other options' \
  fabric replan --scheme dmodk
cp "$scratch/state" /run/drbswitch/drb/state.json
fabric stop s1-0 s1-1 s1-2 s1-3 s2-0 s2-1 >/dev/null
check "what is left of a fabric is said to go" fails_with 0 '^drbfabric: clearing what an earlier fabric drb left$' \
  fabric up -l 2 -d 2 --rate 500pps
fabric exec h3 -- sleep 60 &
soon pgrep -x sleep >/dev/null
check "down names what still runs" fails_with 0 '^drbfabric: sleep .process [0-9]+. still runs in drb-h3, which stays until it ends$' \
  fabric down
kill %1

# A harness waits for another one and reports it; no other process can make it wait.
flock /run/drbfabric.lock sleep 600 &
holder=$!
is_locked() { ! flock -n /run/drbfabric.lock true; }
soon is_locked >/dev/null
fabric up -l 1 -d 2 --rate 500pps 2>"$scratch/said" &
up=$!
soon test -s "$scratch/said" >/dev/null
pkill -P $holder -x sleep
wait $up
code=$?
goes_on() {
  cat "$scratch/said"
  [ "$code" = 0 ] && [ "$(wc -l <"$scratch/said")" = 1 ] &&
    grep -E '^drbfabric: waiting for process [0-9]+ .flock /run/drbfabric.lock sleep 600., which changes a fabric$' "$scratch/said"
}
check "who is waited for is named" goes_on
if setpriv --reuid nobody --clear-groups true 2>/dev/null; then
  for path in /run/drbswitch /run/drbfabric.lock; do
    setpriv --reuid nobody --clear-groups flock $path sleep 60 2>/dev/null &
  done
  check "an ordinary user stops no harness" timeout 30 "$root/topo/fabric" stop s1-0
fi
check "down" fabric down
check "nothing is left" nothing_left
finish
