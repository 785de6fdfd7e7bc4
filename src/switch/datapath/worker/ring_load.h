// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Packets behind the egress queues of uplinks: those that a driver took and the other end of the link did
// not, where the driver can report them. With `occupancy: ring` they are part of the load that decisions
// compare, from the rings of all workers. A ring is read once a burst, and not while everything sent there is
// known to be taken.

#include <stdint.h>

#include "common/config/config.h"

#define DRB_UPLINKS_MAX (DRB_PORTS_MAX / 2)

struct drb_worker;

// Of one worker, which alone writes and reads it. Which rings count is `rings` of struct drb_worker.
struct drb_ring_load {
	uint32_t packets[DRB_UPLINKS_MAX]; // in each uplink's rings, as last looked at
	// Packets that a worker had sent to an uplink, modulo 2^32, when its ring was last seen empty: as
	// long as it has sent no more, it is.
	uint32_t empty_at[DRB_WORKERS_MAX][DRB_UPLINKS_MAX];
	uint64_t looks;                 // bursts
	uint64_t busy[DRB_UPLINKS_MAX]; // of looks, those that found packets
};

// Before a burst is decided that may go up.
void drb_ring_load_read(struct drb_worker *w);
