// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Flow and flowlet units: which uplink each packet of a burst takes. One decision holds for all packets of a
// flow or flowlet, until a pause exceeds the limit.

#include <stdint.h>

#include "switch/datapath/worker/burst.h"
#include "switch/datapath/worker/worker.h"

// EAL memory that the unit of one worker takes, in bytes.
uint64_t drb_assign_bytes(const struct drb_setup *setup);
// What the unit of one worker remembers by.
struct drb_assign_memory {
	struct drb_hash_key secret; // of the flows' hashes, drawn anew each time
	struct drb_flow_table flows;
	struct drb_flowlet *flowlet;
	uint32_t flowlet_mask;
};

// Gives the worker what its unit needs. Needs a running EAL. 0, -ENOMEM, or -errno of getrandom().
int drb_assign_init(struct drb_worker *w, const struct drb_setup *setup);

// The same in two steps, for a worker that runs: what is made elsewhere is exchanged by the worker.
int drb_assign_make(struct drb_assign_memory *memory, const struct drb_setup *setup);
void drb_assign_free(struct drb_assign_memory *memory);
// The worker remembers by *memory from now on, and *memory is what it had.
void drb_assign_exchange(struct drb_worker *w, struct drb_assign_memory *memory);
// The worker assigns by the setup's unit and times from now on.
void drb_assign_set(struct drb_worker *w, const struct drb_setup *setup);

// Says of each packet of a burst where it goes, in b->class.
void drb_assign_burst(struct drb_worker *w, struct drb_burst *b);
