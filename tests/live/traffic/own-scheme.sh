#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A scheme from outside the tree decides in every switch of a fabric: confined, under load, and
# after reloads. Faults of a scheme are reported in one line before anything starts. A dead uplink
# costs no packet.
# Full: it waits for faults of schemes; test_trial.c has their messages.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl drbgen
need_tool cc fping jq

# object NAME [SED]: makes NAME.so from the example, changed by SED
object() {
  sed "${2:-}" "$root/examples/schemes/sprinkle.c" >"$scratch/$1.c"
  cc -shared -fPIC -I"$root/include" -I"$build/include" "$scratch/$1.c" -o "$scratch/$1.so.new" -lm &&
    mv "$scratch/$1.so.new" "$scratch/$1.so"
}

all_say() { # all_say CONDITION: holds for the routing of all switches
  drbctl show --all routing --json | jq -se "length == 20 and ($1)"
}

confined() {
  local pid
  for pid in $(drbctl list --json | jq -r .pid); do
    grep -q '^Seccomp:.*2' "/proc/$pid/status" || return 1
  done
}

# replayed NAME CONDITION: measured traffic loses nothing, and then the condition holds
replayed() {
  decide "$1: nothing lost" undisturbed 100 replay_once "$2"
}

replay_once() {
  drbgen replay "$scratch/traffic" --json >"$scratch/report" || return
  jq -e ".lost == 0 and .received == .sent and .sent > 1000" "$scratch/report" && all_say "$1"
}

# wrong NAME PATTERN [SED]: the example with this fault is refused
wrong() {
  object "$1" "$3"
  check "refused: $1" fails_with 2 "$2" fabric up -l 2 -d 2 --scheme "./$1.so"
}

cd "$scratch" || exit 1
in_choose='s/^{$/{\n'
wrong crash 'crash.so: crashes in choose.. when it is tried out' "$in_choose\t*(volatile int *)1 = 0;/"
wrong hang 'hang.so: does not return within 3 s in choose' "$in_choose\tfor (volatile int i = 1; i;)\n\t\t;/"
wrong old 'another version of drb/scheme.h: compile it again' 's/\.abi = DRB_SCHEME_ABI/.abi = 3/'
wrong far 'takes uplink 2 at a switch with 2 uplinks' 's/return drb_ttc.*/return s->choice.uplinks;/'
wrong twin 'another scheme is called micro' 's/\.name = "sprinkle"/.name = "micro"/'
echo 'int nothing;' >none.c && cc -shared none.c -o none.so
check "refused: no scheme in it" fails_with 2 'none.so: defines no scheme' fabric up -l 2 -d 2 --scheme ./none.so
check "refused: no such file" fails_with 2 '--scheme ./no.so: cannot load it' fabric up -l 2 -d 2 --scheme ./no.so
check "refused: no such parameter" fails_with 2 "no parameter 'q'" fabric up -l 2 -d 2 --scheme drb:q=1
printf 'fabric: {layers: 2, arity: 2}\nswitch: {layer: 1, label: 0}\nrouting: {scheme: ./none.so}\n' >c.yaml
check "refused: not the whole path" fails_with 2 'c.yaml:3: routing.scheme: "./none.so": .* its whole path' \
  "$build/src/switch/drbswitch" --check -c c.yaml
check "nothing is left" nothing_left

object sprinkle
cp sprinkle.so other.so
drbgen write -l 3 -d 2 --traffic permutation --load 0.8 --slot 4ms --slots 2000 --out "$scratch/traffic" 2>/dev/null
up -l 3 -d 2 --scheme ./sprinkle.so:k=2 --rate 250pps --threshold 1
check "switches are confined" confined
check "every switch says what it decides by" all_say "all(.scheme == \"$scratch/sprinkle.so:k=2\")"
check "every pair, and every packet is accounted for" fabric check
replayed "under load" 'map(.up_redirected) | add > 0'
check "none erred" all_say 'all(.scheme_errors == 0)'
check "another parameter, while they run" drbctl set --all "scheme=$scratch/sprinkle.so:k=3:threshold=0"
check "holds" all_say "all(.scheme == \"$scratch/sprinkle.so:k=3:threshold=0\" and .threshold == \"0\")"
replayed "with it" 'map(.up_redirected) | add > 0'
check "a scheme of the tree with parameters" drbctl set --all scheme=drb:choices=3:threshold=4
check "holds" all_say 'all(.scheme == "drb:choices=3:threshold=4" and .choices == 3 and .threshold == "4")'
check "a file that was not loaded at the start is refused" fails_with 1 \
  'other.so: was not loaded when the program started, and cannot be now: restart it' \
  drbctl set s1-0 "scheme=$scratch/other.so"
check "and changes nothing" all_say 'all(.choices == 3)'
check "the config's holds again" drbctl reload --all
check "by its name" all_say "all(.scheme == \"$scratch/sprinkle.so:k=2\" and .threshold == \"1\")"
object sprinkle 's/help = "the/help = "The/'
check "a file that was replaced needs a restart" eval "drbctl reload s1-0 2>&1 | grep 'needs a restart: routing.scheme'"
check "every pair, still" fabric check ping counters
check "replan from elsewhere" eval '(cd / && fabric replan --threshold 3)'
check "holds" all_say "all(.scheme == \"$scratch/sprinkle.so:k=2\" and .threshold == \"3\")"

# This scheme errs only in threads other than the first: in workers, but not in the trial before.
object errs 's/return drb_ttc.*/return gettid() != getpid() \&\& d->dest % 2 ? 1000 : d->def;/
  s/^#include <drb.scheme.h>/#define _GNU_SOURCE\n#include <unistd.h>\n&/'
check "replan: one that errs" fabric replan --scheme ./errs.so
replayed "one that errs" 'map(.scheme_errors) | add > 0'
check "every pair, around a dead link too" eval 'fabric check ping && fabric cut s1-0.u0 && soon fabric check ping'
check "errors are counted, packets are not lost" fabric check counters
check "down" fabric down

# names FILE COLUMN: prints the names of schemes in a CSV file
names() { tail -n +2 "$1" | cut -d, -f"$2" | sort -u | xargs; }

check "an experiment" eval '"$root/lab/run" experiment --scheme drb,./sprinkle.so:k=2,drb:choices=3 --load 0.5 --runs 1 \
  --slots 200 --repeat 1 --csv --out compared >rows; test $? -le 1'
check "has them side by side" test "$(names rows 1)" = 'drb drb:choices=3 sprinkle:k=2'
check "in its pictures, in colours of their own" eval 'grep -q "sprinkle:k=2, live" compared/*.svg compared/*.html &&
  grep -l "#117733" compared/*.svg && grep -l "#332288" compared/*.svg'
check "the demo" "$root/lab/run" demo --scheme drb,dmodk,./sprinkle.so --slots 200 --slot 8ms --csv --out demo.svg
check "has it in its picture" grep -q sprinkle demo.svg
check "nothing is left" nothing_left
finish
