// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The plan's files for other programs: ip -batch files and switch configs. Each is written as a
// whole or not at all.

#include "plan/fabric/fabric_plan.h"

// Write the ip -batch files and the configs into plan->out. Return 0, or -errno with a message
// printed; -EINVAL: drbswitch does not accept a value.
int plan_write_batches(const struct plan *plan);
int plan_write_configs(const struct plan *plan);
// Writes a file of the plan. Returns 0, or -errno with a message printed.
int plan_write_text(const struct plan *plan, const char *name, const char *text, size_t length);
// Finds errors that plan_write_configs() would report, but writes nothing. Checks one switch per
// layer.
int plan_check_configs(const struct plan *plan);
