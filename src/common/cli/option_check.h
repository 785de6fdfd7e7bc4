// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Checks options before argp does, because argp's messages on wrong options lack a hint or take two
// lines.

#include <argp.h>

// Ends the process with DRB_EXIT_USAGE if an option is unknown, ambiguous, lacks its argument or
// takes none. The message is one line that names `PROGRAM --help`, where PROGRAM is argv[0]. flags:
// those of argp_parse().
void drb_option_check(const struct argp *argp, int argc, char *const argv[], unsigned flags);
