#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs the commands of README.md and of pages of the guide in their order, as a reader types them,
# on separate fabrics. Excluded are the demo, which has its own story, and commands that write to
# /etc.
# Quiet: packets are sent in slots.
# Full: it runs pages as a whole; other stories test what they show.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl drbgen
need_tool iperf3 fping

mkdir "$scratch/bin" && cd "$scratch" || exit 1
ln -s "$root/topo" topo
ln -s "$build" build
ln -s "$root/topo/fabric" bin/drbfabric
ln -s "$build/src/ctl/drbctl" bin/drbctl
ln -s "$root/lab/run" bin/drblab
printf '#!/bin/sh\nexec "$@"\n' >bin/sudo && chmod +x bin/sudo
export PATH=$scratch/bin:$PATH

# commands PAGE: prints the commands of its indented blocks, one in a line
commands() {
  sed -nE '/^    /{:more; /\\$/{N; s/ *\\\n */ /; b more}; s/^    (\$ )?//p}' "$root/$1" | grep -E '^(sudo |build/|drb|printf )' |
    grep -vE 'topo/demo\.sh|tests/run\.sh|/etc/'
}

# typed COMMAND: runs it as if typed at a terminal; Ctrl-C ends commands that do not end on their
# own
typed() {
  local limit=()
  [[ $1 =~ (drbctl (watch|serve|events)|logs -f) ]] && limit=(timeout --preserve-status -s INT 2)
  "${limit[@]}" bash -c "$1"
}

# reports COMMAND: as typed, for commands that end with 1 if packets are lost or on Ctrl-C
reports() {
  typed "$1"
  [ $? -le 1 ]
}

# page PAGE COUNT: runs its commands; there must be at least COUNT
page() {
  local command try
  commands "$1" >"$scratch/commands"
  check "$1: there are commands" test "$(wc -l <"$scratch/commands")" -ge "$2"
  while read -r -u 7 command; do
    try=typed
    [[ $command =~ scenario|logs ]] && try=reports
    decide "$1: $command" undisturbed 200 $try "$command"
  done 7<"$scratch/commands"
}

page README.md 4
page docs/guide/first-fabric.md 15
check "nothing is left" nothing_left
python3 -B "$root/tests/live/traffic/make_capture.py" capture.pcap 60
page docs/guide/traffic.md 6
sed -nE 's/^    ([0-9]+s .*)/\1/p' "$root/docs/guide/faults.md" >faults.txt
check "the page has a scenario" test "$(wc -l <faults.txt)" = 4
page docs/guide/faults.md 15
check "all is well again" soon fabric check
check "down" fabric down
check "nothing is left" nothing_left
finish
