#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# docs/reference/counters.md lists every counter with its meaning, and no other counters. The
# glossary lists the states of switches.
#   tests/docs/check_counters.sh COUNTER_ROWS COUNTERS_MD GLOSSARY_MD
set -euo pipefail

# shellcheck disable=SC2016 # a literal backquote
diff --label src/core/counters.h <("$1") --label docs/reference/counters.md <(grep '^| `' "$2") -u
# shellcheck disable=SC2016
diff --label src/ctl/metrics/states.h <("$1" states) --label docs/reference/glossary.md <(sed -n '/^## States/,/^## Links/p' "$3" | grep '^| `') -u
