// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Packets in rings behind the egress queues of uplinks: a driver took them and the other end of the
// link did not, where the driver can report that. With `occupancy: ring` they are part of the load
// that decisions compare, from the rings of all workers. A ring is read once a burst, except while
// it is known to be empty.

#include <stdint.h>

#include "common/config/config.h"

#define DRB_UPLINKS_MAX (DRB_PORTS_MAX / 2)

struct drb_worker;

// Only its worker writes and reads it. `rings` of struct drb_egress_set says which rings count.
struct drb_ring_load {
	uint32_t packets[DRB_UPLINKS_MAX]; // in each uplink's rings, when last read
	// Packets that each worker had sent to an uplink, modulo 2^32, when its ring was last found
	// empty. The ring stays empty while the worker sends no more.
	uint32_t empty_at[DRB_WORKERS_MAX][DRB_UPLINKS_MAX];
	uint64_t looks;                 // reads, one for each burst
	uint64_t busy[DRB_UPLINKS_MAX]; // reads that found packets
};

// Reads the rings that count, if any. Call before a burst from port `in` is decided. Packets from
// above go down: no uplink is chosen for them, and nothing is read.
void drb_ring_load_read(struct drb_worker *w, uint32_t in);
