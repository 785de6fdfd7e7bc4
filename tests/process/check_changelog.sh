#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks versions. Both changelogs begin with meson.build's version, pyproject.toml has it, no
# release has more than 20 lines, and Debian's package of the library is named after its soname.
#   tests/process/check_changelog.sh VERSION SOURCES
set -euo pipefail

fail() { echo "not ok: $*" && exit 1; }
first=$(grep -m 1 '^## ' "$2/CHANGELOG.md")
[[ $first =~ ^"## $1"(, [0-9-]{10})?$ ]] || fail "CHANGELOG.md begins with '$first', meson.build says $1"
# Debian sorts "~" before the end of a version: 0.3.0~dev comes before 0.3.0.
debian=$(head -n 1 "$2/debian/changelog")
[[ $debian == "drbswitch (${1/-/\~}) "* ]] || fail "debian/changelog begins with '$debian', meson.build says $1"
grep -q "^version = '${1/-dev/.dev0}' " "$2/pyproject.toml" || fail "pyproject.toml has another version than meson.build, $1"
soname=libdrb${1%.*}
grep -qx "Package: $soname" "$2/debian/control" || fail "debian/control has no $soname, meson.build says $1"
[ -e "$2/debian/$soname.install" ] || fail "there is no debian/$soname.install, meson.build says $1"
awk '/^## / { release = $2; n = -1 } NF && ++n > 20 { print "not ok: more than 20 lines: " release; exit 1 }' \
  "$2/CHANGELOG.md"
