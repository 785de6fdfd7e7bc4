// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The options --csv, --json, --wide and --color of all verbs and programs that print a table.

#include "common/cli/options.h"

// An option set for an enum drb_format (table.h).
extern const struct drb_option drb_format_options[];
