#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# docs/reference/counters.md has every counter with its meaning, and none that does not exist.
#   tests/docs/check_counters.sh COUNTER_ROWS COUNTERS_MD
set -euo pipefail

# shellcheck disable=SC2016 # a backquote is meant
diff --label src/core/counters.h <("$1") --label docs/reference/counters.md <(grep '^| `' "$2") -u
