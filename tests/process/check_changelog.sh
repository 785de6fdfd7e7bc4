#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The changelog has a section for the version of meson.build.
#   tests/process/check_changelog.sh VERSION CHANGELOG
set -euo pipefail

if ! grep -q "^## $1\(,\|\$\)" "$2"; then
  echo "not ok: no section $1 in $2"
  exit 1
fi
