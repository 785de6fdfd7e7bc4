// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// drbtopo plan: the options of the config's keys.

#include <argp.h>

struct plan;

// argp child for every key that has an option in keys.def; its input is a struct plan. What is wrong
// with a value ends the program with DRB_EXIT_USAGE.
const struct argp *plan_config_argp(void);
// Takes routing.scheme as it was given last, with the path of a shared object as every switch may open it. Likewise.
void plan_set_scheme(struct plan *plan);
