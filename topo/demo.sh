#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${DRB_BUILD:-$root/build}

usage() {
  cat <<'END'
topo/demo.sh [--rootless] [OPTION...]

Does DRB help? Installs missing packages, builds, and compares routing schemes on a fat-tree of
drbswitch processes: drb, dmodk, micro and walk, under fresh and persistent permutations, next to the
simulator. Prints a table and a verdict, writes a figure, and takes everything down again. Takes less
than 60 s once it is built.

  --rootless  needs no root once the packages are there: see topo/rootless
  OPTION...   see lab/run demo --help

Examples:
  sudo topo/demo.sh
  topo/demo.sh --rootless --load 0.9

Exit status: 0 done, 1 packets were lost, 2 bad usage.
END
}

bad_usage() {
  echo "demo: $*" >&2
  exit 2
}

rootless=0
options=()
for option; do
  case $option in
    -h | --help | help) usage && exit ;;
    --rootless) rootless=1 ;;
    *) options+=("$option") ;;
  esac
done

check_place() {
  local parent
  parent=$(dirname "$build")
  [ -e "$build" ] || [ -w "$parent" ] ||
    bad_usage "cannot build in $build: may not write into $parent; make a clone of your own, or point DRB_BUILD" \
      "at a folder of yours"
}

build_all() {
  if [ -e "$build" ] && [ ! -w "$build" ]; then
    [ -x "$build/src/switch/drbswitch" ] || bad_usage "$build is somebody else's and not built"
    return
  fi
  if [ ! -f "$build/build.ninja" ]; then
    echo "== configuring $build" >&2
    meson setup "$build" "$root" >&2
  fi
  # Only the programs that the demo runs, without tests and manual pages.
  local programs=(src/{switch/drbswitch,gen/drbgen,sim/drbsim,plan/drbtopo,ctl/drbctl})
  if ! ninja -C "$build" -n "${programs[@]}" | grep -q 'no work to do'; then
    echo "== building" >&2
    nice ninja -C "$build" "${programs[@]}" >&2
  fi
}

if [ -z "${DRB_DEMO_WORLD:-}" ]; then
  # Check the options first: a mistake must not cost a build.
  if command -v python3 >/dev/null; then "$root/lab/run" demo "${options[@]}" --options-only; fi
  check_place
  bash "$root/deploy/install-deps.sh"
  build_all
fi
world=()
[ $rootless = 0 ] || world=("$root/topo/rootless")
exec "${world[@]}" "$root/lab/run" demo "${options[@]}"
