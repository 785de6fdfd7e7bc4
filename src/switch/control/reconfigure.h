// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Gives a running worker a new setup in two steps. The caller first makes everything that takes
// long or may fail; the worker then exchanges it. Packets stay queued, and flows keep their
// uplinks. A scheme keeps its state if drb_scheme_state_stays().

#include "switch/datapath/decide/flow_assign.h"
#include "switch/datapath/worker/worker.h"

struct drb_reconfigure {
	const struct drb_setup *setup; // the new setup
	bool another_unit, another_state;
	// Parts for the worker; after drb_reconfigure_apply(), the parts that it had before.
	struct drb_egress_ring ring[DRB_PORTS_MAX];
	struct drb_assign_memory memory;
	struct drb_scheme_state scheme_state;
};

// Makes the parts that w needs to change from one setup to the other. Both setups have the same
// fabric, switch, workers and ports. A worker has at most one struct drb_reconfigure at a time.
// Returns 0 or -ENOMEM.
int drb_reconfigure_make(struct drb_reconfigure *change, const struct drb_worker *w,
			 const struct drb_setup *from, const struct drb_setup *to);
void drb_reconfigure_free(struct drb_reconfigure *change);

// Called by the worker itself, as a change.
void drb_reconfigure_apply(struct drb_worker *w, struct drb_reconfigure *change);
