#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Commands can clear everything that interrupted commands leave: full disks, damaged and foreign
# plans and states, files of namespaces after a container's restart, and a killed demo.
# Full: it interrupts many commands; every story checks that nothing is left.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl drbgen drbsim
need_tool jq

run=/run/drbswitch/drb
small=(-l 2 -d 2)

# full KILOBYTES COMMAND...: runs it while the folder of fabrics has only so much space
full() {
  local kilobytes=$1 status
  shift
  mkdir -p /run/drbswitch && mount -t tmpfs -o "size=${kilobytes}k" tmpfs /run/drbswitch || return 2
  "$@"
  status=$?
  find /run/drbswitch -mindepth 1 | sed 's/^/# left: /'
  [ -z "$(ls -A /run/drbswitch)" ] || status=3
  umount /run/drbswitch
  return $status
}
# no_room COMMAND...: it fails because the disk is full, and reports that in one line
no_room() {
  local said
  said=$("$@" 2>&1 >/dev/null) && { [ -n "$(ls -A /run/drbswitch)" ] && fabric down >/dev/null && return 0; }
  echo "$said"
  grep -q 'No space left on device' <<<"$said"
}
for kilobytes in 4 16 40 64 80 88 92 96 100 120; do
  check "with $kilobytes kB, up says that there is no room or is up" full $kilobytes no_room fabric up "${small[@]}"
done
check "nothing is left of them" nothing_left

# cuts NAME TEXT: replaces plan.json or state.json of a running fabric by this text
cuts() {
  up "${small[@]}"
  printf '%s' "$2" >"$run/$1"
}
for text in '' '{"fabric": "drb", "swit' '[]' '{}' '{"fabric": "drb", "switches": [], "hosts": [], "links": [{"lower": "x"}]}'; do
  cuts plan.json "$text"
  check "status says so of the plan '$text'" bash -c "said=\$('$root/topo/fabric' status 2>&1); ! grep -q Traceback <<<\"\$said\""
  check "down takes it down" fabric down
  check "nothing is left" nothing_left
done
cuts plan.json 'no plan'
check "status names it" bash -c "'$root/topo/fabric' status 2>&1 | grep -F 'plan.json is damaged (' | grep -F 'down --fabric drb, and up again'"
check "up --replace does it, too" fabric up --replace "${small[@]}"
check "that one goes" fabric down
cuts state.json '{"phase": "up", "namespaces": ["a"]}'
check "a damaged state ends in words" bash -c "'$root/topo/fabric' down 2>&1 | grep -q 'state.json is damaged: namespaces that it named stay; see ip netns'"
check "whose switches are gone" bash -c '! pgrep -r D,R,S,T drbswitch'
check "all namespaces that stayed are named at once" fails_with 2 '14 namespaces exist.*drb-s1-0 .*drb-h7' fabric up "${small[@]}"
for name in $(ip netns list | awk '{ print $1 }'); do ip netns delete "$name"; done

up "${small[@]}"
ip netns delete drb-h3
ip netns add drb-h3
check "a namespace that somebody made again is left alone" bash -c "
  '$root/topo/fabric' down 2>&1 | grep -q 'left alone, not of fabric drb any more: namespace drb-h3'"
ip netns delete drb-h3

up "${small[@]}"
jq 'del(.ports, .owner)' "$run/state.json" >"$scratch/state" && cp "$scratch/state" "$run/state.json"
check "the state of 0.3.0" fabric down
check "nothing is left of it" nothing_left

# A container is killed and started again: /run is unchanged; processes and mounts are gone.
restarted() {
  up "${small[@]}"
  pgrep -x drbswitch | xargs -r kill -9
  umount -l /run/netns/drb-*
}
restarted
check "files are no namespaces: down removes them" bash -c "'$root/topo/fabric' down --json | jq -e '.namespaces_removed == 14'"
check "nothing is left" nothing_left
restarted
rm /run/netns/drb-h0
ip netns add spare
ip netns add drb-h0
check "up clears them, but not what is somebody else's, named once" bash -c "
  '$root/topo/fabric' up --replace ${small[*]} 2>&1 | grep -c drb-h0 | grep -x 2"
check "nothing but that is left" bash -c "[ \"\$(ls /run/netns | xargs)\" = 'drb-h0 spare' ]"
ip netns delete drb-h0
ip netns delete spare
check "then it is up" fabric up "${small[@]}"
check "and down" fabric down

# The switches and the folder of a measurement disappear when it is killed.
export TMPDIR=$scratch/tmp
mkdir "$TMPDIR"
it_runs() { pgrep -x drbswitch >/dev/null && ls -d "$TMPDIR"/drb-points-* >/dev/null; }
begin_run() {
  echo '{"layers": 2, "slots": 20000}' | "$root/topo/fabric" run --fabric demo >"$scratch/run" 2>&1 &
  run=$!
}
all_gone() { nothing_left && [ -z "$(ls "$TMPDIR")" ]; }
begin_run
check "points are measured" soon it_runs
kill -9 $run
check "that is killed: a keeper clears up" soon all_gone
"$root/lab/run" demo -l 2 -d 2 --slots 5000 --out "$scratch/demo.svg" >"$scratch/demo" 2>&1 &
demo=$!
check "a demo runs" soon it_runs
kill -9 $demo
check "it is killed: what measures for it ends and clears up" soon all_gone
begin_run
check "points are measured again" soon it_runs
pgrep -f keeper.py | xargs -r kill -9
kill -9 $run
wait $run
check "without a keeper, switches stay until a command comes" pgrep -x drbswitch
check "which takes the fabric down" bash -c "'$root/topo/fabric' down --fabric other 2>&1 | grep -q 'taking fabric demo down'"
check "nothing is left of it" nothing_left
# Runners and daemons start programs without standard streams.
for closed in '>&-' '2>&-' '<&- >&-' '<&- >&- 2>&-'; do
  up_and_down() { sh -c "'$root/topo/fabric' up -l 1 -d 2 $closed && '$root/topo/fabric' check ping $closed && '$root/topo/fabric' down $closed"; }
  check "up, check and down with $closed" up_and_down
done
check "nothing is left" nothing_left
finish
