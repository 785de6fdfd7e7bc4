// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// plan.json, the plan that topo/fabric and drbgen read; see common/plan.h.

#include <jansson.h>

#include "plan/fabric/fabric_plan.h"

// Returns a new reference. Aborts when memory runs out.
json_t *plan_json(const struct plan *plan);
