// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// --csv and --json of whatever prints a table.

#include <argp.h>

// argp child; its input is an enum drb_format (table.h).
extern const struct argp drb_format_argp;
