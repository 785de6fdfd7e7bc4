// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The options --csv, --json and --wide of everything that prints a table.

#include "common/cli/options.h"

// A set for an enum drb_format (table.h).
extern const struct drb_option drb_format_options[];
