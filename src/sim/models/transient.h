// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Queues with TTC on the way to their equilibrium, beside the differential equations that many of them follow.
// Paper: equation deterministics, and appendix D (Kurtz), which is about a time [0, t].

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

// The mean, over the repeats, of how far the shares of queues with at least i packets are from s_i of the equations:
// the largest distance of any i, at any of the times 0.1, 0.2, ..., t. -EINVAL, -ENOMEM.
int drb_transient_run(const struct drb_transient_setup *setup, double *distance);
