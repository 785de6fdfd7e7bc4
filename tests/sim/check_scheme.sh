#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# drbsim check-scheme: schemes of the table and of the examples have every property. A scheme that
# breaks one property fails only this one, with a counter-example.
#   tests/sim/check_scheme.sh DRBSIM BUILD
set -euo pipefail

drbsim=$(realpath "$1") build=$(realpath "$2")
root=$(dirname "$(dirname "$(dirname "$(realpath "$0")")")")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
  echo "not ok: $*"
  exit 1
}

# build OBJECT SOURCE FLAG...
build() {
  local object=$1 source=$2
  shift 2
  cc -shared -fPIC -Wall -Wextra -Werror "$@" -I"$root/include" -I"$build/include" "$source" -o "$object.so" -lm
}

# checks CODE SCHEME: results are in `found`
checks() {
  local code=0
  "$drbsim" check-scheme "$2" --csv >found 2>said || code=$?
  [ $code = "$1" ] || fail "$2: exit status $code: $(cat found said)"
}

cd "$scratch"
checks 0 all
properties=$(awk -F, '$1 == "drb" {print $2}' found)
[ "$(wc -w <<<"$properties")" = 9 ] || fail "$(cat found)"
grep -q '^dmodk,uniform,,' found || fail 'dmodk says that it is uniform'
grep -q '^micro,uniform,ok,' found || fail "$(cat found)"

for example in sprinkle average; do
  build $example "$root/examples/schemes/$example.c"
done
checks 0 ./sprinkle.so,./sprinkle.so:k=16:threshold=0,./average.so:weight=1,drb:choices=5
[ "$(grep -c ',ok,' found)" = 36 ] || fail "$(cat found)"

# The counter-example of each property.
declare -A example=(
  [interface]='another version of drb/scheme.h'
  [uplinks]='takes uplink 2 at a switch with 2 uplinks: packet [0-9]*,.* loads [0-9]'
  [dead]='takes dead uplink 1 at a switch with 2 uplinks: .* alive 0x1,'
  [marks]='marks packets with 4 at'
  [memory]='writes beside its state of octets 8 at'
  [cores]='crashes when it is tried out (Floating point exception)'
  [repeatable]='decides differently when asked the same again'
  [hosts]='decides differently in the switch'
  [uniform]='chi-square [0-9.]*, of at most'
)
build whole "$root/tests/fixtures/broken_scheme.c"
checks 0 ./whole.so
for property in $properties; do
  build "$property" "$root/tests/fixtures/broken_scheme.c" "-DBREAKS_$property"
  checks 1 "./$property.so"
  [ "$(awk -F, '$3 == "FAILED" {print $2}' found)" = "$property" ] || fail "$property: $(cat found)"
  grep -q ",$property,FAILED,.*${example[$property]}" found || fail "$property: $(cat found)"
done
# A scheme of another version gets no further trials.
checks 1 ./interface.so
[ "$(wc -l <found)" = 2 ] || fail "$(cat found)"

code=0
"$drbsim" check-scheme ./dead.so --json >found || code=$?
[ $code = 1 ] || fail "--json: exit status $code"
python3 -c '
import json
rows = [json.loads(line) for line in open("found")]
assert [row["property"] for row in rows if row["result"] == "FAILED"] == ["dead"], rows
assert all(row["scheme"] == "./dead.so" and row["detail"] for row in rows), rows'

# A scheme that never returns from its start; and mistakes.
printf '__attribute__((constructor)) static void stay(void)\n{\n\tfor (volatile int i = 1; i;)\n\t\t;\n}\n' >stays.c
build stays stays.c
checks 1 ./stays.so
grep -q ',interface,FAILED,does not return within' found || fail "$(cat found)"
for mistake in nosuch ./nosuch.so drb:q=1 ./whole.so:q=1 '' 'drb,'; do
  checks 2 "$mistake"
  [ "$(wc -l <said)" = 1 ] || fail "$mistake: $(cat said)"
done
echo ok
