// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The uplinks of a fat-tree in continuous time (paper: "Queue-size Distributions of Higher
// Layers"). Packets arrive at hosts as a Poisson process. Every link takes an exponential time for
// a packet, and every switch on the upward path chooses an uplink by TTC. Destinations are drawn
// among the hosts that only a core switch connects with the sender, so that the uplinks of all
// layers carry lambda. The downward path, which is D-mod-k's, is not simulated.

#include <stdint.h>

#include "core/fabric/tree.h"

#include "sim/models/theory.h"

// Most uplinks of a simulated tree.
#define DRB_CTMC_LINKS_MAX (UINT32_C(1) << 27)

struct drb_ctmc_layers_setup {
	uint32_t layers, arity; // at least 2 each
	double lambda;          // packets per host in a mean service time
	double threshold;
	double warm_up, time; // in mean service times: before measuring, while measuring
	uint64_t seed;
};

// Figures of one layer. All its uplinks have the same distribution.
struct drb_ctmc_layer {
	double s[DRB_CTMC_LEVELS]; // share of queues with at least i packets, averaged over time
	double mean_queue;
	// Variance of the time between two departures of an uplink, divided by the square of its
	// mean. It is 1 if departures are a Poisson process.
	double departures_cv2;
};

struct drb_ctmc_layers_result {
	struct drb_ctmc_layer layer[DRB_LAYERS_MAX]; // [m], 1 <= m < layers
};

// Simulates event by event; drb_choose() makes each decision. 0, -EINVAL, -EOVERFLOW (too many
// links) or -ENOMEM.
int drb_ctmc_layers_run(const struct drb_ctmc_layers_setup *setup,
			struct drb_ctmc_layers_result *result);

// The distance of the distributions of two layers: the largest difference of their s_i
// (Kolmogorov-Smirnov).
double drb_ctmc_distance(const struct drb_ctmc_layer *a, const struct drb_ctmc_layer *b);
