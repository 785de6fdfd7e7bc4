#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The commands of docs/guide/your-own-scheme.md that need no root print what the page shows.
# tests/live/traffic/tutorial.sh runs those that need root.
#   check_own_scheme.sh ROOT BUILD
set -euo pipefail

root=$(realpath "$1") build=$(realpath "$2")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# The page needs the distribution's matplotlib, and therefore its Python.
export LD_LIBRARY_PATH=$build/src/lib
export PATH=$build/src/sim:/usr/bin:$PATH PKG_CONFIG_PATH=$build/meson-uninstalled MPLCONFIGDIR=$scratch

fail() {
  echo "not ok: $*"
  exit 1
}

cd "$scratch"
"$root/tests/docs/commands_of.sh" "$root/docs/guide/your-own-scheme.md"
ran=0
for block in [0-9].sh; do
  grep -q '^sudo ' "$block" && continue
  bash "$block" >"$block.said" 2>&1 || fail "$(cat "$block" "$block.said")"
  ran=$((ran + 1))
done
[ $ran = 5 ] && [ "$(grep -l '^sudo ' [0-9].sh | wc -l)" = 2 ] || fail "$ran blocks without root"
for checked in 1 7; do
  grep -c ' ok ' $checked.sh.said | grep -qx 8 || fail "$(cat $checked.sh.said)"
done

# The page's table equals the output of its commands.
column() { # column N: prints this column of the second run, in the order of the page
  awk -v run="$1" '$1 == "scheme" {n++} n == run && $1 != "scheme" {
    for (i = 1; i <= NF; i++) if ($i == "yes" || $i == "no") {print $i == "yes" ? "grows" : $3; break}}' 2.sh.said | xargs
}
row() { # row NAME: prints this row of the page
  grep "^| $1" "$root/docs/guide/your-own-scheme.md" | tr -d '*' | cut -d'|' -f3- | tr -d '|' | xargs
}
[ "$(column 1)" = "$(row 'another host')" ] || fail "$(column 1) is not $(row 'another host')"
[ "$(column 2)" = "$(row 'the same host')" ] || fail "$(column 2) is not $(row 'the same host')"
[ "$(awk '!/^ / {print $1}' 6.sh.said | xargs)" = 'scheme chosen chosen:threshold=2 chosen:threshold=6' ] || fail "$(cat 6.sh.said)"
awk '!/^ / && $1 == "racks"' 7.sh.said | grep -q . || fail "$(cat 7.sh.said)"
grep -q '<svg' latency.svg || fail 'no figure'
echo ok
