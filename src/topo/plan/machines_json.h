// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What a plan for several machines says of them.

#include <jansson.h>

#include "topo/plan/fabric_plan.h"

// Adds the keys to the plan. Aborts when memory runs out.
void plan_add_machines(const struct plan *plan, json_t *json);
// Prints who has what, and what links between machines will carry.
void plan_print_machines(const struct plan *plan);
