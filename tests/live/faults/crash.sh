#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Whatever dies, down leaves nothing, up clears its own remains, and foreign objects stay untouched.
# Full: it brings up many fabrics; every story checks that nothing is left.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl drbgen

state_of() { # state_of NODE STATE
  fabric status --csv | grep -q "^$1,.*,$2,"
}

status_fails() { ! fabric status >/dev/null; }

# up_hit_when SIGNAL CONDITION: sends a signal to a harness at work; returns the harness's exit
# status. Tries again if the harness had finished before, as its speed is unknown.
up_hit_when() {
  local pid status
  for _ in 1 2 3 4 5; do
    "$root/topo/fabric" up -l 3 -d 2 >"$scratch/hit" 2>&1 &
    pid=$!
    soon eval "$2" >/dev/null || { echo "never saw: $2" && return 99; }
    kill "-$1" $pid
    wait $pid 2>/dev/null
    status=$?
    [ $status = 0 ] || return $status
    again "$1 when $2" "it was up before"
    fabric down
  done
  echo "it was always up before"
  return 99
}

ends_with() { # ends_with STATUS COMMAND...
  "${@:2}"
  [ $? = "$1" ]
}

# A switch dies.
up -l 2 -d 2
victim=$(pid_of s2-1)
kill -KILL "$victim"
# A killed process is dead only when its last thread is.
check "a dead switch is seen" soon state_of s2-1 dead
check "the others still run" state_of s2-0 running
check "status fails" status_fails
check "check fails and names it" \
  sh -c "'$root/topo/fabric' check wiring 2>&1 | grep -q '^drbfabric: s2-1: no answer'"
check "down with a dead switch" fabric down
check "nothing is left" nothing_left
check "down again" fabric down

# Stopped switches ignore SIGTERM. Two of them cost status only one timeout.
up -l 2 -d 1
kill -STOP "$(pid_of s1-0)" "$(pid_of s2-0)"
two_are_hung() {
  SECONDS=0
  state_of s1-0 hung && state_of s2-0 hung && echo "after $SECONDS s" && [ $SECONDS -lt 18 ]
}
decide "switches that do not answer are hung, status asks all at once" unhindered 200 25 two_are_hung
check "down with a stopped switch" fabric down
check "nothing is left of it" nothing_left

# A harness dies.
check "up killed while it makes namespaces" ends_with 137 up_hit_when KILL '[ -e /run/netns/drb-h9 ]'
check "down after that" fabric down
check "nothing is left of half the namespaces" nothing_left
check "up killed while switches start" \
  ends_with 137 up_hit_when KILL '[ "$(grep -vs stopped /run/drbswitch/drb/processes | wc -l)" -ge 5 ]'
up -l 2 -d 2
well "the new fabric works" wiring
check "nothing of the old one runs" test "$(pgrep -c -x drbswitch)" = 6
check "up over a running fabric is refused" fails_with 2 'is up' fabric up -l 2 -d 2
well "the running fabric stays" wiring
check "up --replace" fabric up -l 2 -d 1 --replace
check "down of the replacement" fabric down
check "nothing is left of any" nothing_left

# A user interrupts a harness, which may print only one message.
check "an interrupted up fails" ends_with 1 up_hit_when TERM '[ -e /run/netns/drb-s3-3 ]'
check "an interrupted up says so in one line" test "$(wc -l <"$scratch/hit")" = 1
check "nothing is left of an interrupted up" nothing_left

# Ctrl-C comes twice, at ever later times: one line is printed, and nothing is left.
catches() { # catches PID SIGNAL
  local mask
  mask=$(awk '/^SigCgt/ { print $2 }' "/proc/$1/status")
  [ $((0x${mask:-0} >> ($(kill -l "$2") - 1) & 1)) = 1 ]
}

one_line_after() { # one_line_after SECONDS
  local harness
  # A script starts background programs with SIGINT ignored.
  env --default-signal=INT "$root/topo/fabric" up -l 3 -d 3 >"$scratch/interrupted" 2>&1 &
  harness=$!
  # The Python interpreter catches SIGINT first. SIGHUP is caught when the harness itself runs.
  soon catches $harness HUP >/dev/null
  sleep "$1"
  kill -INT $harness
  sleep 0.005
  kill -INT $harness
  wait $harness && echo "99 namespaces were up before" && fabric down && return 1
  cat "$scratch/interrupted"
  grep -q 'ended by SIGINT' "$scratch/interrupted" &&
    [ "$(wc -l <"$scratch/interrupted")" = 1 ] && nothing_left
}
for pause in 0 0.01 0.02 0.05 0.1 0.2 0.3; do
  check "interrupted twice after $pause s" one_line_after $pause
done

# Either nothing has changed, or the fabric is gone and the message says so.
says_what_is_left() { # says_what_is_left SECONDS
  fabric up -l 2 -d 2 --replace >/dev/null 2>&1 || return
  timeout -s INT "$1" "$root/topo/fabric" replan --scheme dmodk >"$scratch/interrupted" 2>&1
  cat "$scratch/interrupted"
  if grep -q 'runs* the new plan' "$scratch/interrupted" || fabric check ping; then
    return
  fi
  grep -q 'ended by SIGINT; fabric drb is taken down: up makes it again' "$scratch/interrupted" && nothing_left
}
for pause in 0.1 0.2 0.3 0.4 0.6; do
  decide "replan interrupted after $pause s" undisturbed 200 says_what_is_left $pause
done
fabric down >/dev/null 2>&1

# Down comes in the middle of a replay.
up -l 2 -d 2
drbgen write -l 2 -d 2 --traffic stride:5 --load 0.5 --slot 4ms --slots 1000 --out "$scratch/traffic" 2>/dev/null
drbgen replay "$scratch/traffic" >"$scratch/replayed" 2>&1 &
replay=$!
sleep 1
check "down in the middle of a replay" fabric down
check "nothing is left of that either" nothing_left
wait $replay
check "the generator says that it failed" test $? != 0

# Down spares objects that the harness did not make.
ip netns add drb-h3
check "a namespace of somebody else is refused" fails_with 2 'drb-h3 exists' fabric up -l 2 -d 2
check "and stays" ip netns exec drb-h3 true
ip netns delete drb-h3
up -l 2 -d 1
ip netns delete drb-h1
ip netns add drb-h1
sleep 600 &
stranger=$!
sed -i "s/^s1-0 .*/s1-0 $stranger 1/" /run/drbswitch/drb/processes
check "down of a fabric that others meddled with" fabric down
check "somebody else's namespace of the same name stays" ip netns exec drb-h1 true
check "a process that took over an id stays" kill -0 $stranger
kill $stranger
ip netns delete drb-h1
check "nothing is left but that" nothing_left

# A switch of the same name was started by hand.
cat >"$scratch/own.yaml" <<'END'
fabric: {layers: 2, arity: 1}
switch: {layer: 1, label: 0}
link: {driver: none}
END
"$build/src/switch/drbswitch" -c "$scratch/own.yaml" 2>"$scratch/own" &
own=$!
soon grep -q ready "$scratch/own"
check "up beside a switch of somebody else fails" fails_with 1 'is running already' fabric up -l 2 -d 1
check "that switch still runs and answers" drbctl show s1-0 info
kill $own
wait $own
check "nothing is left beside it" nothing_left

# The harness did not make this folder.
mkdir -p /run/drbswitch/drb && echo precious >/run/drbswitch/drb/file
check "down of a folder of somebody else is refused" fails_with 2 'not of a fabric' fabric down
check "so is up over it" fails_with 2 'not of a fabric' fabric up -l 2 -d 1
check "and --replace" fails_with 2 'not of a fabric' fabric up -l 2 -d 1 --replace
check "it stays" grep -q precious /run/drbswitch/drb/file
rm -r /run/drbswitch/drb

# A fabric of the same name runs in another world, and a program only looks like a switch.
# inner_lives: all six switches of the other world still run
inner_lives() {
  [ "$(wc -w <"$scratch/inner")" = 6 ] && xargs kill -0 <"$scratch/inner"
}
mkfifo "$scratch/end"
exec 9<>"$scratch/end"
# shellcheck disable=SC2016 # expanded in the other world
"$root/topo/rootless" bash -c '"$0/topo/fabric" up -l 2 -d 2 && read -r -u 9' "$root" \
  >"$scratch/other" 2>&1 &
other=$!
soon grep -q 'is up' "$scratch/other"
pgrep -x drbswitch >"$scratch/inner"
check "another world has six switches" inner_lives
up -l 2 -d 2
ip netns exec drb-h0 sh -c '/run/drbswitch/drb/none; sleep 600; :' 2>/dev/null &
lookalike=$!
check "down here" fabric down
check "leaves the switches there" inner_lives
check "leaves another program that names a file of the fabric" kill -0 $lookalike
kill $lookalike
echo >&9
wait $other

# Switches do not become ready.
printf '#!/bin/sh\necho thinking about it\nexec sleep 600\n' >"$scratch/slow"
chmod +x "$scratch/slow"
for kind in dead late none; do
  mkdir -p "$scratch/$kind/src/switch" "$scratch/$kind/src/plan"
  ln -s "$build/src/plan/drbtopo" "$scratch/$kind/src/plan/"
done
ln -s /bin/false "$scratch/dead/src/switch/drbswitch"
ln -s "$scratch/slow" "$scratch/late/src/switch/drbswitch"
check "a switch that ends at once" \
  fails_with 1 'switch s1-0 ended with status 1' \
  env DRB_BUILD="$scratch/dead" "$root/topo/fabric" up -l 2 -d 2
check "nothing is left of it either" nothing_left
check "a switch that is late" \
  fails_with 1 'not ready after 5 s.*thinking about it' \
  env DRB_BUILD="$scratch/late" "$root/topo/fabric" up -l 2 -d 1 --timeout 5
check "nothing is left of the late one" nothing_left
up -l 2 -d 1
check "a replan whose switches end at once" \
  fails_with 1 'switch s1-0 ended with status 1' \
  env DRB_BUILD="$scratch/dead" "$root/topo/fabric" replan --scheme ecmp
check "nothing is left of that" nothing_left
check "no drbswitch" fails_with 2 'drbswitch is neither' \
  env DRB_BUILD="$scratch/none" "$root/topo/fabric" up -l 2 -d 1
check "nothing was made" nothing_left
finish
