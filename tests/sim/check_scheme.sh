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
  [cores]='crashes in init() when it is tried out (Floating point exception)'
  [repeatable]='decides differently when asked the same again'
  [hosts]='reads bits of d->draw that .unloaded does not declare: leave it out; decides differently in the switch'
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

# scheme NAME MEMBERS CODE [BEFORE]: builds NAME.so, whose choose() is CODE, with these members
scheme() {
  {
    printf '#include <time.h>\n#include <unistd.h>\n#include <drb/scheme.h>\n%s\n' "${4-}"
    echo 'static uint32_t choose(const struct drb_decider *s, struct drb_loads l, struct drb_decision *d)'
    printf '{ (void)s, (void)l; %s return d->def; }\n' "$3"
    printf 'DRB_SCHEME(x) = {.abi = DRB_SCHEME_ABI, .name = "x", .help = "x", .choose = choose, %s};\n' "$2"
  } >"$1.c"
  build "$1" "$1.c" -O2 -D_GNU_SOURCE -Wno-unused-function
}
next='return (d->def + 1) % s->choice.uplinks;'

# Members that only make a scheme faster may be missing: it reads whatever it likes.
scheme least '' "if (d->draw % 3 == 0 || drb_load(l, d->def) > 4) return (uint32_t)(d->draw >> 7) % s->choice.uplinks;"
checks 0 ./least.so
[ "$(grep -c ',ok,' found)" = 8 ] || fail "$(cat found)"

# The member at fault is named. A change of state while there is no load shows only later.
state='.state_size = size, .init = init, .choose_among = among'
with_state() { # with_state BYTES: the functions of a scheme with state
  echo "static size_t size(const struct drb_scheme_setup *s) { (void)s; return $1; }"
  echo 'static void init(void *state, const struct drb_scheme_setup *s) { (void)s; *(uint64_t *)state = 0; }'
  echo 'static uint32_t among(const struct drb_decider *s, uint64_t usable, struct drb_loads l, struct drb_decision *d)'
  echo '{ (void)s, (void)l, (void)d; return (uint32_t)__builtin_ctzll(usable); }'
}
scheme loads '.compares = DRB_COMPARES_NONE' "if (drb_load(l, d->def) > 4) $next"
scheme draw '.draw = DRB_DRAW_OTHER' "if (d->draw & 1) $next"
scheme flow '' "if (d->flow & 1) $next"
scheme size '' "if (d->size > 700) $next"
scheme later "$state, .unloaded = DRB_DRAW_NONE" \
  "uint64_t *sum = s->state; *sum += d->draw & 1; if (drb_load(l, d->def) && *sum & 1) $next" "$(with_state 64)"
for fault in loads:.compares draw:.draw flow:DRB_READS_FLOW size:DRB_READS_SIZE later:.unloaded; do
  checks 1 "./${fault%%:*}.so"
  grep -q ",hosts,FAILED,.*reads .*${fault#*:}.*decides differently" found || fail "$fault: $(cat found)"
done

# Told at once, with the member: one that sleeps, one with too much state, one that crashes.
for sleeper in 'sleep(60);' 'usleep(1000);' 'nanosleep(&(struct timespec){0, 200000}, NULL);'; do
  scheme sleeps '' "$sleeper"
  checks 1 ./sleeps.so
  grep -q ',uplinks,FAILED,sleeps in choose() when' found || fail "$sleeper: $(cat found)"
  [ "$(wc -l <found)" = 3 ] || fail "$sleeper: it was tried again: $(cat found)"
done
for mib in 17 60 4000; do
  scheme large "$state" '' "$(with_state "${mib}ul << 20")"
  checks 1 ./large.so
  grep -q ",interface,FAILED,.*state_size() is $mib.0 MiB at .*and may be 16 MiB" found || fail "$mib: $(cat found)"
done
scheme held "$state" '' "$(with_state '16ul << 20')"
checks 0 ./held.so
for crash in '*(volatile uint32_t *)(uintptr_t)s->choice.uplinks = 0;' '__builtin_trap();' 'if (d->dest > 5) ((void (*)(void))8)();'; do
  scheme crashes '' "$crash"
  checks 1 ./crashes.so
  grep -q ',uplinks,FAILED,crashes in choose() when it is tried out (' found || fail "$crash: $(cat found)"
done
for member in abi name help choose; do
  sed "s/\.$member = [^,]*,//" least.c >"no-$member.c"
  build "no-$member" "no-$member.c" -Wno-unused-function
  checks 1 "./no-$member.so"
  grep -q ",interface,FAILED,.*has no \.$member" found || fail "$member: $(cat found)"
done

for mistake in nosuch ./nosuch.so drb:q=1 ./whole.so:q=1 '' 'drb,'; do
  checks 2 "$mistake"
  [ "$(wc -l <said)" = 1 ] || fail "$mistake: $(cat said)"
done
echo ok
