// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Another setup for a worker that runs. Whatever takes long or may fail is done before; then it is
// exchanged while the worker is parked, with the packets queued and the flows assigned as they are.

#include "switch/datapath/routing/flow_assign.h"
#include "switch/datapath/worker.h"

struct drb_reconfigure {
	const struct drb_setup *setup; // what holds from now on
	bool another_unit;
	// What the worker gets, and after drb_reconfigure_apply() what it had.
	struct drb_egress_ring ring[DRB_PORTS_MAX];
	struct drb_assign_memory memory;
	struct drb_turns turns;
};

// Makes what w needs to go from one setup to the other; its fabric, place, workers and ports are
// the same. Only one at a time for a worker. 0 or -ENOMEM.
int drb_reconfigure_make(struct drb_reconfigure *change, const struct drb_worker *w,
			 const struct drb_setup *from, const struct drb_setup *to);
void drb_reconfigure_free(struct drb_reconfigure *change);

// The worker is parked.
void drb_reconfigure_apply(struct drb_worker *w, struct drb_reconfigure *change);
