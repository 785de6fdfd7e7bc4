#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${DRB_BUILD:-$root/build}

usage() {
  cat <<'END'
topo/demo.sh [-l LAYERS] [-d ARITY] [--scheme NAME] [--threshold T] [--pattern NAME] [--load RHO]
             [--slot TIME] [--slots COUNT] [--seed N] [--name FABRIC] [--rootless]

Installs the packages that are missing, builds, brings up a fat-tree of drbswitch processes whose
links move one packet a slot, replays traffic from pcap files through it, prints what arrived and
the counters of every port, and takes everything down again.

Default: F(3,2), scheme drb, permutations at load 0.9, 2000 slots of 2ms, fabric demo.
--rootless needs no root once the packages are there: see topo/rootless.
Exit status: 0 everything arrived and the counters agree, 1 not, 2 bad usage.
END
}

bad_usage() {
  echo "demo: $*" >&2
  exit 2
}

# pps_of TIME: packets per second at one packet per TIME
pps_of() {
  [[ $1 =~ ^([0-9]+(\.[0-9]+)?)(s|ms|us|ns)$ ]] || bad_usage "--slot $1: want a time such as 2ms"
  awk -v value="${BASH_REMATCH[1]}" -v unit="${BASH_REMATCH[3]}" 'BEGIN {
    scale["s"] = 1; scale["ms"] = 1e3; scale["us"] = 1e6; scale["ns"] = 1e9
    if (value <= 0) exit 1
    printf "%.9gpps\n", scale[unit] / value
  }' || bad_usage "--slot $1: want a time above 0"
}

layers=3 arity=2 scheme=drb threshold='' pattern=permutation load=0.9 slot=2ms slots=2000 seed=1
name=demo rootless=0
arguments=("$@")
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage && exit ;;
    --rootless) rootless=1 && shift && continue ;;
    -l | --layers | -d | --arity | --scheme | --threshold | --pattern | --load | --slot | --slots | \
      --seed | --name)
      [ $# -gt 1 ] || bad_usage "$1 needs a value"
      ;;&
    -l | --layers) layers=$2 ;;
    -d | --arity) arity=$2 ;;
    --scheme) scheme=$2 ;;
    --threshold) threshold=$2 ;;
    --pattern) pattern=$2 ;;
    --load) load=$2 ;;
    --slot) slot=$2 ;;
    --slots) slots=$2 ;;
    --seed) seed=$2 ;;
    --name) name=$2 ;;
    *) bad_usage "unknown option '$1' (see topo/demo.sh --help)" ;;
  esac
  shift 2
done
rate=$(pps_of "$slot")

step() { echo "== $*" >&2; }

build_all() {
  if [ -e "$build" ] && [ ! -w "$build" ]; then
    [ -x "$build/src/switch/drbswitch" ] || bad_usage "$build is somebody else's and not built"
    return
  fi
  if [ ! -f "$build/build.ninja" ]; then
    step "configuring $build"
    meson setup "$build" "$root" >&2
  fi
  step "building"
  nice ninja -C "$build" >&2
}

if [ -z "${DRB_DEMO_WORLD:-}" ]; then
  bash "$root/deploy/install-deps.sh"
  build_all
  if [ $rootless = 1 ]; then
    DRB_DEMO_WORLD=1 exec "$root/topo/rootless" "$root/topo/demo.sh" "${arguments[@]}"
  fi
  [ "$(id -u)" = 0 ] || bad_usage "needs root, or --rootless"
fi

work=''
is_up=0
ended='' # exit status that a signal asks for
child=''

# shellcheck disable=SC2317 # called by the traps
on_signal() {
  ended=$1
  [ -z "$child" ] || kill -TERM "$child" 2>/dev/null || true
}

# run COMMAND...: a program that is ended at once by the signals that end this one. What it began is
# its own to undo; until it is done the script goes on waiting.
run() {
  local status=0
  [ -z "$ended" ] || exit "$ended"
  "$@" &
  child=$!
  [ -z "$ended" ] || kill -TERM "$child" 2>/dev/null || true
  wait "$child" || status=$?
  # A signal ends the waiting, not the child.
  while [ -n "$ended" ] && kill -0 "$child" 2>/dev/null; do
    wait "$child" || true
  done
  if [ -n "$ended" ]; then
    status=0
    wait "$child" || status=$?
  fi
  child=''
  return "$status"
}

# shellcheck disable=SC2317 # called by the trap
finish() {
  local status=$?
  status=${ended:-$status}
  # Down must not be cut short by the same signal again.
  trap '' INT TERM HUP
  if [ "$is_up" = 1 ]; then
    step "taking everything down"
    "$fabric" down --name "$name" >&2 || status=1
  fi
  [ -z "$work" ] || rm -rf "$work"
  exit "$status"
}
trap finish EXIT
trap 'on_signal 130' INT
trap 'on_signal 143' TERM HUP

fabric=$root/topo/fabric
work=$(mktemp -d)
size=(-l "$layers" -d "$arity")
status=0

step "writing traffic: $pattern, load $load, $slots slots of $slot"
run "$build/src/gen/drbgen" write "${size[@]}" --pattern "$pattern" --load "$load" \
  --slots "$slots" --slot "$slot" --seed "$seed" --out "$work/traffic" >&2
step "bringing up F($layers,$arity), scheme $scheme, one packet a slot on every link ($rate)"
# A bring-up that fails or is interrupted undoes itself; one that is refused was not ours.
run "$fabric" up "${size[@]}" --name "$name" --scheme "$scheme" \
  ${threshold:+--threshold "$threshold"} --rate "$rate" >&2
is_up=1
step "replaying"
run "$build/src/gen/drbgen" replay "$work/traffic" --fabric "$name" || status=1
step "counters of every port"
run "$build/src/ctl/drbctl" show --all --fabric "$name"
step "checking that no packet was lost between counters"
run "$fabric" check counters links --name "$name" || status=1
exit "$status"
