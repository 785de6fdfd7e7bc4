#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# External schemes in drbsim: a working one is listed in a table beside built-in schemes and its own
# variants. A faulty one gives a single, named error.
#   tests/sim/schemes.sh DRBSIM BUILD
set -euo pipefail

drbsim=$(realpath "$1") build=$(realpath "$2")
root=$(dirname "$(dirname "$(dirname "$(realpath "$0")")")")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
  echo "not ok: $*"
  exit 1
}

# build NAME: NAME.so of NAME.c
build() {
  cc -shared -fPIC -Wall -Werror -I"$root/include" -I"$build/include" "$1.c" -o "$1.so" -lm
}

cd "$scratch"
cp "$root/examples/schemes/sprinkle.c" .
build sprinkle
run() {
  "$drbsim" "$@" --threads 1 --csv
}
run packet -d 4 --slots 400 --stats 200 --load 0.9 \
  --scheme drb,./sprinkle.so,./sprinkle.so:k=1:threshold=2,drb:choices=3:threshold=1 >table
[ "$(cut -d, -f1 table | xargs)" = 'scheme drb sprinkle sprinkle:k=1:threshold=2 drb:choices=3:threshold=1' ] ||
  fail "$(cat table)"
# A variant has the same effect as the options.
run packet -d 4 --slots 400 --stats 200 --load 0.9 --scheme drb --choices 3 --threshold 1 | tail -1 | cut -d, -f2- >by_options
tail -1 table | cut -d, -f2- | cmp - by_options || fail "$(cat table by_options)"
for verb in 'flow --flows 2' 'transfer --load 0.5 --slots 500 --warmup 50' 'job --job all-to-all'; do
  # shellcheck disable=SC2086 # words on purpose
  run $verb -d 2 --scheme dmodk,./sprinkle.so | grep '^sprinkle,' >rows || fail "$verb"
done

# refused PATTERN TEXT: one line that matches
refused() {
  local code=0
  "$drbsim" packet -d 2 --slots 10 --stats 5 --load 0.5 --scheme "$2" >said 2>&1 || code=$?
  [ $code != 0 ] && [ "$(wc -l <said)" = 1 ] && grep -qE -- "$1" said || fail "$2: $code: $(cat said)"
}
variant() { # variant NAME SED: sprinkle.c with a fault
  sed "$2" sprinkle.c >"$1.c"
  build "$1"
}
variant crash 's/^{$/{\n\tif (getpid() > 0)\n\t\t*(volatile int *)1 = 0;/; s/^#include <drb.scheme.h>/#include <unistd.h>\n&/'
refused 'crashes in choose\(\) when it is tried out' ./crash.so
variant hang 's/^{$/{\n\tfor (volatile int i = 1; i;)\n\t\t;/'
refused 'does not return within 3 s in choose\(\)' ./hang.so
variant old 's/\.abi = DRB_SCHEME_ABI/.abi = DRB_SCHEME_ABI - 1/'
refused 'another version of drb/scheme.h' ./old.so
variant far 's/return drb_ttc.*/return s->choice.uplinks;/'
refused 'takes uplink 2 at a switch with 2 uplinks' ./far.so
variant twin 's/\.name = "sprinkle"/.name = "micro"/'
refused 'another scheme is called micro' ./twin.so
echo 'int nothing;' >none.c && build none
refused 'defines no scheme' ./none.so
refused 'cannot load it' ./nosuch.so
refused "has no parameter 'q'" ./sprinkle.so:q=1
refused 'k must be a number from 1 to 16' ./sprinkle.so:k=99
refused "has no parameter 'threshold'" micro:threshold=1
refused 'given twice' drb:threshold=1,drb:threshold=1

# One that crashes later, in threads of a run or after many decisions, is named with its signal.
crashes() { # crashes SIGNAL DESCRIPTION CODE: with CODE in choose() from decision 100000 on
  # Sanitizers would handle these signals.
  local -x ASAN_OPTIONS=handle_segv=0:handle_sigbus=0:handle_sigill=0:handle_abort=0
  sed "s/^{\$/&\n\tstatic unsigned asked;\n\tif (++asked > 100000)\n\t\t$3/" sprinkle.c >late.c
  build late
  local code=0
  "$drbsim" packet -d 4 --slots 4000 --stats 2000 --load 0.9 --scheme drb,./late.so --threads "$threads" >said 2>&1 || code=$?
  [ $code = $((128 + $1)) ] || fail "$3: exit status $code: $(cat said)"
  [ "$(grep -cE "^drbsim: scheme .*/late\.so crashed: $2 at its offset 0x[0-9a-f]+" said)" = 1 ] || fail "$3: $(cat said)"
}
for threads in 1 2; do
  crashes 11 'Segmentation fault' '*(volatile int *)1 = 0;'
  crashes 4 'Illegal instruction' '__builtin_trap();'
  crashes 6 'Aborted' '__builtin_abort();'
  crashes 11 'Segmentation fault' '__builtin_memset((void *)8, 0, asked);'
done
echo ok
