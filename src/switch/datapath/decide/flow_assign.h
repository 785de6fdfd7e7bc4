// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Flow and flowlet units: decide which uplink each packet of a burst takes. One decision holds for
// all packets of a flow or flowlet, until a pause exceeds the limit.

#include <stdint.h>

#include "switch/datapath/worker/burst.h"
#include "switch/datapath/worker/worker.h"

// The flows or flowlets that one worker remembers.
struct drb_assign_memory {
	struct drb_hash_key secret; // key of the flows' hashes, new in each such memory
	struct drb_flow_table flows;
	struct drb_flowlet *flowlet;
	uint32_t flowlet_mask;
};

// Makes the memory that the worker's unit needs, and sets its times. 0, -ENOMEM, or -errno of
// getrandom().
int drb_assign_init(struct drb_decide_state *d, const struct drb_setup *setup);

// The same in steps, for a running worker: another thread makes the memory, the worker exchanges
// it.
int drb_assign_make(struct drb_assign_memory *memory, const struct drb_setup *setup);
void drb_assign_free(struct drb_assign_memory *memory);
// The worker uses *memory from now on, and *memory becomes its old one, for the caller to free.
void drb_assign_exchange(struct drb_decide_state *d, struct drb_assign_memory *memory);
// Sets the times of flows and flowlets from setup.
void drb_assign_set(struct drb_decide_state *d, const struct drb_setup *setup);

// Decides where each packet of a burst goes, and writes it to b->class. Takes the whole worker,
// because its parts as separate pointers cost two instructions a packet.
void drb_assign_burst(struct drb_worker *w, struct drb_burst *b);
