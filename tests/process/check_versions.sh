#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Every program tells the version of meson.build, and the changelog has it.
#   tests/process/check_versions.sh VERSION REPOSITORY PROGRAM...
set -euo pipefail

version=$1 repository=$2
shift 2

failed=0
for program in "$@"; do
  said=$("$program" --version)
  if [ "$said" != "$(basename "$program") $version" ]; then
    echo "not ok: $program --version says '$said' instead of version $version"
    failed=1
  fi
done
if ! grep -q "^## $version\(,\|\$\)" "$repository/CHANGELOG.md"; then
  echo "not ok: no section $version in CHANGELOG.md"
  failed=1
fi
exit $failed
