// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Options --threads and --memory.

#include "common/cli/options.h"

struct sim_limits {
	uint32_t threads; // concurrent runs
	uint64_t memory;  // bytes that all runs together may take
};

extern const struct drb_option sim_limits_options[];
// One thread per CPU, and three quarters of the free memory.
struct sim_limits sim_limits_default(void);
