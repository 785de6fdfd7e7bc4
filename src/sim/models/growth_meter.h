// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Tests for each link of a simulated fabric whether its queue grows: see common/measures/growth.h.
// The sum of all queues hardly shows one overloaded link among thousands. It also rises while a
// fabric without overload fills up.

#include <stdint.h>

#include "common/measures/growth.h"

#include "sim/models/fabric.h"

#define DRB_GROWTH_EVERY 8 // slots from one check of all queues to the next

struct drb_growth_meter {
	uint32_t slots, lasting; // slots of the run; slots that destinations last
	uint32_t uplinks, hosts; // per layer-1 switch
	uint64_t rack_queues;    // number of queues of layer 1
	// For each queue, in the order of layers and of their `len`: its length in mid-run, or
	// FOUND_EMPTY or NEVER_USED; and its length at the last check. Owned.
	struct drb_growth_queue {
		uint32_t before, after;
	} * queue;
	uint64_t queues;
};

uint64_t drb_growth_bytes(const struct drb_tree *t);
// 0 or -ENOMEM.
int drb_growth_init(struct drb_growth_meter *g, const struct drb_tree *t, uint32_t slots,
		    const struct drb_traffic_kind *traffic);
void drb_growth_free(struct drb_growth_meter *g);

// Called after each slot.
void drb_growth_slot(struct drb_growth_meter *g, const struct drb_fabric *f, uint32_t slot);
// The same for switches `range` of a layer only.
void drb_growth_switches(struct drb_growth_meter *g, const struct drb_layer *l,
			 struct drb_range range, uint32_t slot);

// Called after the last slot. Returns the verdict on queue i of all queues, or on the fabric, with
// the number of growing queues. `links` may be NULL.
enum drb_growth drb_growth_of_queue(const struct drb_growth_meter *g, uint64_t i);
enum drb_growth drb_growth_of_fabric(const struct drb_growth_meter *g, uint64_t *links);
// The least overload of a link that the run would show, as a share of its rate.
double drb_growth_shown(const struct drb_growth_meter *g);
