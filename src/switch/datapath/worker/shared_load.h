// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What the workers of one switch tell each other: the load of their uplinks. A decision sees the
// sum over workers, read without locks; what the others publish may be a burst old.

#include <stdatomic.h>
#include <stdint.h>

#include "common/config/config.h"

#define DRB_UPLINKS_MAX (DRB_PORTS_MAX / 2)

// Written by one worker after each burst, read by the others; on cache lines of its own.
struct drb_published_load {
	_Alignas(64) atomic_uint occupancy[DRB_UPLINKS_MAX];
	_Alignas(64) atomic_uint flows[DRB_UPLINKS_MAX];
};

struct drb_shared_load {
	// Constant while running.
	const struct drb_published_load *other[DRB_WORKERS_MAX];
	uint32_t count; // of others
	// Of this worker alone: sums over the others as last read. 0 without others.
	uint32_t occupancy[DRB_UPLINKS_MAX];
	uint32_t flows[DRB_UPLINKS_MAX];
	uint32_t most;   // of the sums of occupancies
	uint64_t packed; // the same as packed loads, if none is above DRB_PACKED_MAX
};

struct drb_worker;

// Before a burst is decided.
void drb_shared_load_read(struct drb_worker *w);
// The load of each uplink, this worker's included.
void drb_shared_load_sum(const struct drb_worker *w, uint32_t sum[DRB_UPLINKS_MAX]);
void drb_shared_load_flows(const struct drb_worker *w, uint32_t sum[DRB_UPLINKS_MAX]);
// After a burst was queued, and after packets were sent.
void drb_shared_load_publish(struct drb_worker *w);
