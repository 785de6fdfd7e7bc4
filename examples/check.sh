#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs libdrb, builds the examples against the installed files with pkg-config alone, and runs
# them.
#   examples/check.sh BUILD
set -euo pipefail

build=$1
here=$(dirname "$(realpath "$0")")
drbsim=$(realpath "$build/src/sim/drbsim")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
  echo "not ok: $*"
  exit 1
}

# fails_with CODE COMMAND...
fails_with() {
  local want=$1 code=0
  shift
  "$@" >"$scratch/said" 2>&1 || code=$?
  [ $code = "$want" ] || fail "$*: exit status $code: $(cat "$scratch/said")"
}

meson install -C "$build" --no-rebuild --tags devel --destdir "$scratch/root" >/dev/null
pc=$(find "$scratch/root" -name drb.pc)
export PKG_CONFIG_PATH=${pc%/*} PKG_CONFIG_SYSROOT_DIR=$scratch/root LD_LIBRARY_PATH
LD_LIBRARY_PATH=$(dirname "${pc%/*}")
flags=(-Wall -Wextra -Werror -g)
for name in route simulate counters; do
  # shellcheck disable=SC2046  # words on purpose
  cc "${flags[@]}" $(pkg-config --cflags drb) "$here/$name.c" -o "$scratch/$name" $(pkg-config --libs drb) -lm
done

# The library exports the functions that the headers declare, with the version of its soname, and no
# others.
lib=$LD_LIBRARY_PATH/libdrb.so
node=LIBDRB_$(objdump -p "$lib" | sed -n 's/^ *SONAME *libdrb\.so\.//p')
exported=$(nm -D --defined-only --with-symbol-versions "$lib" | awk '$2 != "A" {print $3}' | sort)
declared=$(find "$scratch/root" -name '*.h' -exec cat {} + | tr '\n' ' ' |
  grep -oE 'DRB_API[^(]*\(' | grep -oE 'drb_\w+\($' | sed "s/($/@@$node/" | sort)
[ "$exported" = "$declared" ] || fail "exported and declared: $(diff <(echo "$exported") <(echo "$declared"))"

# Each header alone, in C11 and C++20, and a program in C++ with the static library.
find "$scratch/root" -name '*.h' -printf '%f\n' | while read -r header; do
  # shellcheck disable=SC2046
  echo "#include <drb/$header>" | cc "${flags[@]}" -std=c11 $(pkg-config --cflags drb) -x c -fsyntax-only -
  # shellcheck disable=SC2046
  echo "#include <drb/$header>" | c++ "${flags[@]}" -pedantic -std=c++20 $(pkg-config --cflags drb) -x c++ -fsyntax-only -
done
cat >"$scratch/plain.cpp" <<'END'
#include <drb/scheme.h>
#include <drb/threshold.h>
#include <drb/tree.h>
#include <drb/version.h>
#include <cstdio>
int main()
{
	drb_tree *tree = drb_tree_new(3, 2, 2);
	const drb_chooser_setup setup = {.tree = tree, .layer = 1, .label = 2, .threshold = 1};
	drb_chooser *chooser = drb_chooser_new(drb_scheme_find("drb"), &setup);
	drb_decision packet = {.dest = 10};
	const uint32_t load[] = {9, 0};
	std::printf("%s %u %u\n", drb_version(), drb_chooser_choose(chooser, load, &packet),
		    drb_two_choice(2, drb_margin(1), 0, load, 0));
	drb_chooser_free(chooser);
	drb_tree_free(tree);
}
END
# shellcheck disable=SC2046
c++ "${flags[@]}" -Wno-missing-field-initializers -std=c++20 $(pkg-config --cflags drb) "$scratch/plain.cpp" \
  -o "$scratch/plain" "$LD_LIBRARY_PATH/libdrb.a" $(pkg-config --static --libs drb | sed 's/-ldrb\b//')
said=$(env -u LD_LIBRARY_PATH "$scratch/plain")
[[ $said = 0.*' 1 1' ]] || fail "C++: $said"

# The paper's check: host 4 = (1,0,0) to host 10 = (2,1,0) in F(3,2), up by (0,1), down by (2,1,0).
way=$("$scratch/route" 3 2 4 10 dmodk | grep -oE '(up by u|down by d)[0-9]+' | grep -oE '[0-9]+$' | xargs)
[ "$way" = '0 1 2 1 0' ] || fail "D-mod-k from 4 to 10 takes $way"

# Runs every scheme. Schemes with state show it by their choices.
LIBDRB=$LD_LIBRARY_PATH/libdrb.so python3 -B "$here/route.py" 3 2 1 2 10 5 0 >"$scratch/python"
schemes=$(awk '{print $1}' "$scratch/python")
[ "$(wc -w <<<"$schemes")" -ge 9 ] || fail "route.py: $(cat "$scratch/python")"
grep -qx 'drb *u1 (default u0)' "$scratch/python" || fail "route.py: $(cat "$scratch/python")"
for scheme in $schemes; do
  for to in 1 2 5 15; do
    [ "$("$scratch/route" 3 2 0 $to "$scheme" 0 $to 20 | grep -c "^h$to\$")" -ge 20 ] || fail "$scheme to $to"
  done
  "$scratch/route" 3 4 0 127 "$scheme" 2 1 200 | grep 'up by' >"$scratch/way.$scheme"
done
[ "$(grep -c 's1-0  up by u3' "$scratch/way.dmodk")" = 200 ] || fail 'dmodk leaves its default'
for u in 0 1 2 3; do
  [ "$(grep -c "s1-0  up by u$u" "$scratch/way.bouncing")" = 50 ] || fail 'bouncing takes no turns'
done
for pair in drill:micro walk:drb bouncing:ecmp; do
  cmp -s "$scratch/way.${pair%:*}" "$scratch/way.${pair#*:}" && fail "$pair do the same"
done

# redirected T: number of redirects in the decisions on twenty packets
redirected() {
  "$scratch/route" 3 4 0 127 drb "$1" 1 20 | grep -c redirected || true
}
[ "$(redirected 8)" = 0 ] || fail 'redirected in spite of T = 8'
[ "$(redirected 0)" -gt "$(redirected 4)" ] || fail 'a lower T does not redirect more'

for bad in '' '3 2 4' '3 2 4 16' '0 2 0 1' '3 2 4 10 nosuch' '3 2 4 10 drb 2 1 1 1'; do
  # shellcheck disable=SC2086  # words on purpose
  fails_with 2 "$scratch/route" $bad
done

"$scratch/simulate" 4 0.9 tornado 4000 >"$scratch/queues"
[ "$(wc -l <"$scratch/queues")" = "$(wc -w <<<"$schemes")" ] || fail "simulate: $(cat "$scratch/queues")"
queue() {
  awk -v scheme="$1" '$1 == scheme {print int($2)}' "$scratch/queues"
}
[ "$(queue least)" -lt "$(queue vlb)" ] || fail "simulate: $(cat "$scratch/queues")"
fails_with 2 "$scratch/simulate" 4 0.9 nosuch

# The example schemes pass check-scheme and choose as described. With weight 1 average equals drb.
for scheme in sprinkle average shuffled; do
  # shellcheck disable=SC2046
  cc -shared -fPIC "${flags[@]}" $(pkg-config --cflags drb) "$here/schemes/$scheme.c" -o "$scratch/$scheme.so" -lm
done
cd "$scratch"
"$drbsim" check-scheme ./sprinkle.so,./average.so,./shuffled.so,./shuffled.so:hash=1 >checked || fail "$(cat checked)"
"$drbsim" packet -d 4 --slots 1000 --stats 500 --load 0.9 --threads 1 --csv \
  --scheme drb,./average.so:weight=1,./average.so,./sprinkle.so >table
cut -d, -f2- table >figures
[ "$(sed -n 2p figures)" = "$(sed -n 3p figures)" ] || fail "not drb without an average: $(cat table)"
[ "$(sort -u figures | wc -l)" = 4 ] || fail "the same: $(cat table)"
echo ok
