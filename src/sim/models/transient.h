// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Queues with TTC that approach equilibrium, compared with the differential equations that many
// queues follow. Paper: equation deterministics, and appendix D (Kurtz), which treats a time [0,
// t].

#include <stdint.h>

struct drb_transient_setup {
	uint32_t queues;    // n >= 2
	double lambda;      // 0 < lambda < 1
	uint32_t threshold; // floor(T)
	uint32_t start;     // packets in each queue at time 0
	double time;        // t, in mean service times
	uint32_t repeats;
	uint64_t seed;
};

#define DRB_TRANSIENT_START_MAX 16

// The distance of the shares of queues with at least i packets from the s_i of the equations,
// averaged over the repeats. The distance is the largest difference for any i, at any of the times
// 0.1, 0.2, ..., t. 0, -EINVAL or -ENOMEM.
int drb_transient_run(const struct drb_transient_setup *setup, double *distance);
