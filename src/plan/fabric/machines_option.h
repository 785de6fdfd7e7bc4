// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The option drbtopo plan --machines.

#include "plan/fabric/fabric_plan.h"

// Reads plan->machines_file and splits the fabric into plan->machines, which the caller owns.
// Errors end the program with DRB_EXIT_USAGE.
void plan_split(struct plan *plan);
