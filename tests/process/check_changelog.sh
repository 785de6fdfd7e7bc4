#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Both changelogs begin with the version of meson.build, and a release has at most 20 lines.
#   tests/process/check_changelog.sh VERSION SOURCES
set -euo pipefail

fail() { echo "not ok: $*" && exit 1; }
first=$(grep -m 1 '^## ' "$2/CHANGELOG.md")
[[ $first =~ ^"## $1"(, [0-9-]{10})?$ ]] || fail "CHANGELOG.md begins with '$first', meson.build says $1"
# Debian sorts ~ before nothing, so 0.3.0~dev before 0.3.0.
debian=$(head -n 1 "$2/debian/changelog")
[[ $debian == "drbswitch (${1/-/\~}) "* ]] || fail "debian/changelog begins with '$debian', meson.build says $1"
awk '/^## / { release = $2; n = -1 } NF && ++n > 20 { print "not ok: more than 20 lines: " release; exit 1 }' \
  "$2/CHANGELOG.md"
