// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The plan's files for other programs: ip -batch and switch configs.

#include "topo/plan/fabric_plan.h"

// Write the ip -batch files and the configs into plan->out. 0, or -errno with a message printed;
// -EINVAL if a value is nothing a switch takes.
int plan_write_batches(const struct plan *plan);
int plan_write_configs(const struct plan *plan);
// What plan_write_configs() would refuse, without writing anything.
int plan_check_configs(const struct plan *plan);
