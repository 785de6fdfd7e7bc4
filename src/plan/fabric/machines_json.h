// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The part of a plan that is about machines.

#include <jansson.h>

#include "plan/fabric/fabric_plan.h"

// Adds its keys to plan.json. Aborts when memory runs out.
void plan_add_machines(const struct plan *plan, json_t *json);
// Prints which machine has which nodes, and the load of links between machines.
void plan_print_machines(const struct plan *plan);
