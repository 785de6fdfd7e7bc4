// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Arrivals and threshold, as options of models of queues. Must be the first member of a point.

#include "sim/points/fabric_options.h"

struct sim_rates {
	double lambda; // arrivals per queue in a mean service time
	struct sim_threshold asked;
	double threshold; // valid after the check
};

extern const struct drb_option sim_rate_options[];
// Checks the rates of a point. Errors end the process with a line that begins with the option.
void sim_rates_check(void *rates);

// clang-format off
#define SIM_RATE_COLUMNS                                                                           \
	{"lambda", SIM_REAL, .at = offsetof(struct sim_rates, lambda), 3, .of_point = true},       \
	{"threshold", SIM_REAL, .at = offsetof(struct sim_rates, threshold), 2, .of_point = true}
// clang-format on
