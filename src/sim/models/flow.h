// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The flow model (paper: "Permutation-flow Routing"). The c N flows of c independent, uniformly
// random permutations without fixed points get paths one after another, in uniformly random order.
// Each switch chooses the uplink by the flows that its uplinks carry already.

#include <stdint.h>

#include "core/schemes/schemes.h"
#include "core/fabric/tree.h"

#include "drb/threshold.h"

struct drb_flow_setup {
	struct drb_tree tree;
	enum drb_scheme scheme; // must not have DRB_PACKETS_ONLY
	uint32_t choices;       // for schemes with a threshold; the paper has 2
	double threshold;
	uint32_t flows; // c, per host
	uint64_t seed;  // equal seeds and runs give the same flows to all schemes
};

struct drb_flow_result {
	uint32_t max_up, max_down; // most flows on a link, links of hosts included
	uint64_t decided, redirected;
	uint64_t climbed,
		kept; // flows through a core; those of them with the default uplink at each switch
};

struct drb_flow {
	uint32_t src, dst;
};

// Memory for runs of setups that have the same tree and at most this many flows per host. NULL if
// memory is out.
struct drb_flow_work;
struct drb_flow_work *drb_flow_work_new(const struct drb_tree *t, uint32_t flows);
void drb_flow_work_free(struct drb_flow_work *work);
uint64_t drb_flow_bytes(const struct drb_tree *t, uint32_t flows);

// A run in two steps. Run numbers seed independent repetitions. The flows of one draw can be
// assigned repeatedly, by setups that differ in scheme, choices and threshold alone.
void drb_flow_draw(const struct drb_flow_setup *setup, uint32_t run, struct drb_flow_work *work);
struct drb_flow_result drb_flow_assign(const struct drb_flow_setup *setup, uint32_t run,
				       struct drb_flow_work *work);
// The c N flows of a draw, in the order of their assignment. Callers may write other flows there.
struct drb_flow *drb_flow_list(struct drb_flow_work *work);
// Draws and assigns.
struct drb_flow_result drb_flow_run(const struct drb_flow_setup *setup, uint32_t run,
				    struct drb_flow_work *work);

// Figures of many runs of one setup.
struct drb_flow_summary {
	// Flows on the busiest link of either direction; the standard deviation is NaN for one run.
	double max_load, max_load_sd;
	double max_up, max_down;
	double redirected; // share of upward decisions that left the default; NaN without decisions
	double kept; // share of flows through a core that kept all defaults; NaN without such flows
};
struct drb_flow_summary drb_flow_summarize(const struct drb_flow_result *result, uint32_t runs);
