// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Gives a running worker a new setup in two steps: the caller first makes everything that takes long or may
// fail; the worker then exchanges it. Packets stay queued and flows keep their uplinks.

#include "switch/datapath/decide/flow_assign.h"
#include "switch/datapath/worker/worker.h"

struct drb_reconfigure {
	const struct drb_setup *setup; // the new one
	bool another_unit;
	// What the worker gets; after drb_reconfigure_apply(), what it had.
	struct drb_egress_ring ring[DRB_PORTS_MAX];
	struct drb_assign_memory memory;
	struct drb_scheme_state scheme_state;
};

// Makes what w needs to change from one setup to the other. Both have the same fabric, switch, workers
// and ports. One at a time for each worker. 0 or -ENOMEM.
int drb_reconfigure_make(struct drb_reconfigure *change, const struct drb_worker *w,
			 const struct drb_setup *from, const struct drb_setup *to);
void drb_reconfigure_free(struct drb_reconfigure *change);

// By the worker itself, as a change.
void drb_reconfigure_apply(struct drb_worker *w, struct drb_reconfigure *change);
