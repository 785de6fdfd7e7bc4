// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The uplinks of a fat-tree in continuous time (paper: "Queue-size Distributions of Higher Layers"): packets
// arrive at hosts as a Poisson process, every link takes an exponential time for a packet, and every switch on
// the way up chooses an uplink by TTC. Destinations are drawn among the hosts that only a core switch connects
// with the sender, so that the uplinks of all layers carry lambda. The way down, which is D-mod-k's, is left out.

#include <stdint.h>

#include "core/fabric/tree.h"

#include "sim/models/theory.h"

// Uplinks of a tree that is simulated, at most.
#define DRB_CTMC_LINKS_MAX (UINT32_C(1) << 27)

struct drb_ctmc_layers_setup {
	uint32_t layers, arity; // at least 2 of each
	double lambda;          // packets per host and mean service time
	double threshold;
	double warm_up, time; // in mean service times: not measured, measured
	uint64_t seed;
};

// Of the uplinks of one layer, all of which are alike.
struct drb_ctmc_layer {
	double s[DRB_CTMC_LEVELS]; // share of queues with at least i packets, averaged over time
	double mean_queue;
	// Variance of the time between two departures of an uplink over the square of its mean: 1 if they
	// are a Poisson process.
	double departures_cv2;
};

struct drb_ctmc_layers_result {
	struct drb_ctmc_layer layer[DRB_LAYERS_MAX]; // [m], 1 <= m < layers
};

// Event by event, every decision by drb_choose(). -EINVAL, -EOVERFLOW (too many links), -ENOMEM.
int drb_ctmc_layers_run(const struct drb_ctmc_layers_setup *setup,
			struct drb_ctmc_layers_result *result);

// How far the distributions of two layers are apart: the largest difference of their s_i (Kolmogorov).
double drb_ctmc_distance(const struct drb_ctmc_layer *a, const struct drb_ctmc_layer *b);
