// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The load of uplinks that is not in this worker's queues. Other workers of the switch publish
// theirs, which are read without locks and up to a burst old. Packets in rings (ring_load.h) are
// added.

#include <stdatomic.h>
#include <stdint.h>

#include "switch/datapath/worker/ring_load.h"

// Written by one worker after each burst, read by the others; on cache lines of its own.
struct drb_published_load {
	_Alignas(64) atomic_uint occupancy[DRB_UPLINKS_MAX];
	atomic_uint sent[DRB_UPLINKS_MAX]; // packets sent, modulo 2^32; if rings count
	_Alignas(64) atomic_uint flows[DRB_UPLINKS_MAX];
};

struct drb_shared_load {
	// Constant while running.
	const struct drb_published_load *other[DRB_WORKERS_MAX];
	uint32_t count; // of others
	// For this worker only: sums over the other workers as last read, and its rings. 0 without
	// either.
	uint32_t occupancy[DRB_UPLINKS_MAX];
	uint32_t flows[DRB_UPLINKS_MAX];
	uint32_t most; // maximum of occupancy[]
};

struct drb_decide_state;
struct drb_egress_set;

// Reads the loads of other workers, and adds those of rings as last read. Call before a burst is
// decided.
void drb_shared_load_read(struct drb_decide_state *s, uint32_t up_ports);
// The load of each uplink, this worker's included.
void drb_shared_load_sum(const struct drb_shared_load *other, const struct drb_egress_set *e,
			 uint32_t sum[DRB_UPLINKS_MAX]);
void drb_shared_load_flows(const struct drb_decide_state *s, uint32_t up_ports,
			   uint32_t sum[DRB_UPLINKS_MAX]);
// Publishes this worker's loads. Call after a burst was queued, and after packets were sent.
void drb_shared_load_publish(struct drb_published_load *load, const struct drb_decide_state *s,
			     const struct drb_egress_set *e);
