// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// drbtopo plan: the options of the config's keys.

#include <argp.h>

// argp child for every key that has an option in keys.def; its input is a struct plan. What is wrong
// with a value ends the program with DRB_EXIT_USAGE.
const struct argp *plan_config_argp(void);
