# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Every story of this folder sources this first. The story starts again in its own world
# (topo/rootless: network, mount and process namespaces, an empty /run). Nothing that it makes can
# outlive it, even if it is killed, or meet a fabric that runs in parallel.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=${DRB_BUILD:-$root/build}
export DRB_BUILD=$build

# shellcheck source=tests/lib.sh
. "$root/tests/lib.sh"

cannot_run() {
  echo "cannot run here: $*" >&2
  exit 77
}

if [ -z "${DRB_STORY_WORLD:-}" ]; then
  "$root/topo/rootless" true || cannot_run "no namespaces of its own"
  DRB_STORY_WORLD=1 exec "$root/topo/rootless" bash "$0" "$@"
fi

fabric() { "$root/topo/fabric" "$@"; }
drbtopo() { "$build/src/plan/drbtopo" "$@"; }
drbgen() { "$build/src/gen/drbgen" "$@"; }
drbctl() { "$build/src/ctl/drbctl" "$@"; }
drbsim() { "$build/src/sim/drbsim" "$@"; }

# need PROGRAM...: these programs of this project must be built
need() {
  local name path
  for name in "$@"; do
    path=$build/src/${name#drb}/$name
    [ "$name" != drbtopo ] || path=$build/src/plan/$name
    [ -x "$path" ] || cannot_run "$path is not built"
  done
}

# need_tool PROGRAM...: these programs of the system must be installed
need_tool() {
  local name
  for name in "$@"; do
    command -v "$name" >/dev/null || cannot_run "$name is not installed"
  done
}

# soon COMMAND...: waits until the command succeeds, for up to a minute because of slow machines
soon() {
  local said end=$((EPOCHSECONDS + 60))
  until said=$("$@" 2>&1); do
    [ "$EPOCHSECONDS" -lt $end ] || { echo "not within a minute: $said" && return 1; }
    sleep 0.02
  done
  echo "$said"
}

# fails_with STATUS PATTERN COMMAND...: the command ends with this status, and prints exactly one
# line on standard error, which matches.
fails_with() {
  local status=$1 pattern=$2 said got
  shift 2
  said=$("$@" 2>&1 >/dev/null)
  got=$?
  echo "exit status $got, said: $said"
  [ "$got" = "$status" ] && [ "$(wc -l <<<"$said")" = 1 ] && grep -qE -- "$pattern" <<<"$said"
}

# nothing_left: no namespace, switch process, socket or run folder is left
nothing_left() {
  local left
  left=$(
    find /run/netns /run/drbswitch /run/dpdk -mindepth 1 2>/dev/null
    pgrep -a -r D,R,S,T drbswitch # without zombies, which wait for their parent
  )
  [ -z "$left" ] || { echo "left behind: $left" && false; }
}

# up ARGUMENT...: brings a fabric up or ends the story
up() {
  local said
  if said=$(fabric up "$@" 2>&1); then
    ok "up $*"
    sed 's/^/# /' <<<"$said"
  else
    not_ok "up $*"
    sed 's/^/# /' <<<"$said"
    exit 1
  fi
}

# pid_of SWITCH, trouble SWITCH: print what `drbctl list` reports
pid_of() { drbctl list --json | jq -r "select(.switch == \"$1\") | .pid"; }
trouble() { drbctl list --json | jq -r "select(.switch == \"$1\").trouble"; }

# usable COUNT: all switches together have COUNT usable ports
usable() {
  local now
  now=$(drbctl list --json | jq -s 'map(.ports_usable) | add') && [ "$now" = "$1" ] ||
    { echo "$now ports are usable" && false; }
}

# listens HOST [PORT]: a program on the host listens on this TCP port
listens() { ip netns exec "drb-$1" ss -ltnH "sport = :${2:-5201}" | grep .; }

# carrier down|up SWITCH.PORT: pulls the cable at this end, or plugs it in. A memif link has no
# cable, so the port goes down or up.
carrier() {
  ip -n "drb-${2%.*}" link set "${2#*.}" "$1" 2>/dev/null || drbctl "$1" "$2"
}

# up_over KIND ARGUMENT...: as up, with this kind of links between switches: af_packet, af_xdp (both
# over veths) or memif
up_over() { if [ "$1" = memif ]; then up "${@:2}" --links memif; else up "${@:2}" --driver "$1"; fi; }

# watched COMMAND...: runs it while control processes (machine.py) measure how much CPU time the
# machine has to spare. Writes the result to $scratch/machine.
watched() {
  local watch status
  : >"$scratch/machine"
  python3 -B "$root/tests/live/machine.py" watch >"$scratch/machine" &
  watch=$!
  soon grep -q ready "$scratch/machine" >/dev/null
  "$@"
  status=$?
  kill -TERM $watch
  wait $watch
  sed -i 1d "$scratch/machine"
  return $status
}

# disturbed MS [PERCENT]: tells whether the last watched command was disturbed, and prints a line
# about it. It was if a control process or a switch that could run got no CPU for longer than MS, or
# if the host of a virtual machine took CPUs away. It also was if other processes and the host took
# PERCENT of the CPU time.
disturbed() {
  jq -r '"a control was late by \(.late_ms) ms, a switch waited \(.waited_ms) ms for a CPU, others took \(.others
    ) % of the CPU time, the host \(.stolen) %"' "$scratch/machine"
  jq -e ".late_ms > $1 or .waited_ms > $1 or .stolen >= 10 or .others + .stolen >= ${2:-101}" "$scratch/machine" >/dev/null
}

# unhindered MS PERCENT COMMAND...: for decide. Runs the command. Its failure counts only if no
# process waited longer than MS for a CPU, and other processes and the host took less than PERCENT
# of the CPU time. It suits rates, which many short waits change as much as a long one. A command
# that cannot tell itself cannot tell here, either.
unhindered() {
  local ms=$1 percent=$2 status
  shift 2
  watched "$@"
  status=$?
  [ $status != 0 ] && [ $status != "$cannot_tell" ] || return $status
  if disturbed "$ms" "$percent"; then return "$cannot_tell"; fi
  return 1
}

# undisturbed MS COMMAND...: as unhindered, with any PERCENT
undisturbed() { unhindered "$1" 101 "${@:2}"; }

# unshared PERCENT COMMAND...: as unhindered, with any MS. It suits commands that need every CPU:
# another story slows them down, but keeps no process waiting for long.
unshared() { unhindered 1e9 "$@"; }

# well NAME [CHECK...]: decides that `fabric check` finds no fault in a whole fabric. First waits
# for links that missed hellos while the machine was busy: they are used again a little later.
well() { decide "$1" undisturbed 200 settled "${@:2}"; }
settled() { soon fabric check wiring && fabric check "$@"; }

# A folder for files, which disappears with the story's world
scratch=/run/story
mkdir -p "$scratch"
