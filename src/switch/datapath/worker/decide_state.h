// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The routing of one worker: its scheme, the flows that it remembers, and the loads that it
// compares besides its own queues (egress_set.h). Decisions write it, and threshold_in_force.c
// the margins of both choices.

#include <stdbool.h>
#include <stdint.h>

#include "core/counters.h"
#include "core/math/random.h"
#include "core/routing/choice.h"

#include "common/config/config.h"
#include "switch/datapath/worker/egress_set.h"
#include "switch/datapath/worker/flow_table.h"
#include "switch/datapath/worker/guarded.h"
#include "switch/datapath/worker/ring_load.h"
#include "switch/datapath/worker/scheme_state.h"
#include "switch/datapath/worker/shared_load.h"
#include "switch/datapath/worker/threshold_in_force.h"

struct drb_decide_state {
	// Constant until a reload (worker_setup.c):
	bool assigns; // flow or flowlet unit: decisions are not made by packet
	bool pairs;   // no rings, and a decision compares no more than two choices
	bool outside; // some load is in queues of other workers, or in rings

	uint32_t unrecorded; // bursts until the next whose decisions are recorded
	struct drb_rng rng;
	enum drb_scheme scheme;     // DRB_SCHEME_COUNT: a loaded one
	struct drb_guarded guarded; // a loaded scheme
	double param[DRB_SCHEME_PARAMS_MAX];
	struct drb_choice choice;        // of that scheme
	struct drb_choice packet_choice; // of a packet decided alone in flow unit
	struct drb_threshold threshold;
	struct drb_scheme_state scheme_state;
	struct drb_hash_key flow_secret; // of flow and flowlet unit
	struct drb_flow_table flows;     // flow unit, else empty
	struct drb_flowlet *flowlet;     // flowlet unit: by hash; else NULL. Owned
	uint32_t flowlet_mask, flowlet_gap;
	struct drb_shared_load shared_load;
	struct drb_ring_load ring_load;
	struct drb_routing_counters routing;
	uint64_t difference[DRB_DIFFERENCES]; // decisions by load of default - candidate
};

// True if no uplink has a load, nor gets one by a burst.
static inline bool drb_uplinks_are_unloaded(const struct drb_decide_state *s,
					    const struct drb_egress_set *e)
{
	return !e->waits && e->queued == 0 && s->shared_load.most == 0;
}
