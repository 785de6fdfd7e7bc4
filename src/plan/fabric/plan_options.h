// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The options of drbtopo plan for keys of the config.

#include <argp.h>

struct plan;

// An argp child with an option for each key that has one in keys.def; its input is a struct plan.
// Invalid values end the program with DRB_EXIT_USAGE.
const struct argp *plan_config_argp(void);
// Call after parsing. Sets routing.scheme to the last one given, with an absolute path if it is a
// shared object. Invalid values end the program with DRB_EXIT_USAGE.
void plan_set_scheme(struct plan *plan);
