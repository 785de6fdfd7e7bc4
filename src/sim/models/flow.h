// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The flow model. Paper: "Permutation-flow Routing".
// c independent uniformly random permutations without fixed points; their c N flows are given paths
// one after another in uniformly random order, each switch choosing the uplink by the flows it has
// there already.

#include <stdint.h>

#include "core/schemes/schemes.h"
#include "core/fabric/tree.h"

#include "drb/threshold.h"

struct drb_flow_setup {
	struct drb_tree tree;
	enum drb_scheme scheme; // none with DRB_PACKETS_ONLY
	uint32_t choices;       // of the schemes with a threshold: 2 = the paper's
	double threshold;
	uint32_t flows; // c, per host
	uint64_t seed;  // equal seeds and runs give equal flows to all schemes
};

struct drb_flow_result {
	uint32_t max_up, max_down; // largest number of flows on a link, host links included
	uint64_t decided, redirected;
	uint64_t climbed,
		kept; // flows by way of the core; of them, those all of whose uplinks are defaults
};

struct drb_flow {
	uint32_t src, dst;
};

// Memory for runs of setups that share tree and, at most, flows. NULL if there is not enough.
struct drb_flow_work;
struct drb_flow_work *drb_flow_work_new(const struct drb_tree *t, uint32_t flows);
void drb_flow_work_free(struct drb_flow_work *work);
uint64_t drb_flow_bytes(const struct drb_tree *t, uint32_t flows);

// A run in two steps; run numbers seed independent repetitions. The flows of one draw can be given paths as
// often as one likes, by setups that differ in scheme, choices and threshold alone.
void drb_flow_draw(const struct drb_flow_setup *setup, uint32_t run, struct drb_flow_work *work);
struct drb_flow_result drb_flow_assign(const struct drb_flow_setup *setup, uint32_t run,
				       struct drb_flow_work *work);
// The c N flows of a draw, in the order of their assignment; others may be written there.
struct drb_flow *drb_flow_list(struct drb_flow_work *work);
// Both.
struct drb_flow_result drb_flow_run(const struct drb_flow_setup *setup, uint32_t run,
				    struct drb_flow_work *work);

// Figures of many runs of one setup.
struct drb_flow_summary {
	double max_load, max_load_sd; // of the busiest link of either direction; sd NaN for one run
	double max_up, max_down;
	double redirected; // share of upward decisions that left the default, NaN without any
	double kept; // share of the flows by way of the core whose whole path is the default one, likewise
};
struct drb_flow_summary drb_flow_summarize(const struct drb_flow_result *result, uint32_t runs);
