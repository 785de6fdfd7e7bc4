// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Whether queues of a simulated fabric grow, link by link: see common/measures/growth.h. An overloaded link among
// thousands hardly shows in their sum, and a fabric that still fills up is no overloaded one.

#include <stdint.h>

#include "common/measures/growth.h"

#include "sim/models/fabric.h"

#define DRB_GROWTH_EVERY 8 // slots from one look at all queues to the next

struct drb_growth_meter {
	uint32_t slots, lasting; // of the run, and that destinations last
	// Of each queue, in the order of layers and of their `len`: its length half-way, UINT32_MAX once it was
	// found empty since, and at the end. Owned.
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

// After each slot.
void drb_growth_slot(struct drb_growth_meter *g, const struct drb_fabric *f, uint32_t slot);

// After the last slot: of queue i of all, and of the fabric, with how many of its queues grow. links: may be NULL.
enum drb_growth drb_growth_of_queue(const struct drb_growth_meter *g, uint64_t i);
enum drb_growth drb_growth_of_fabric(const struct drb_growth_meter *g, uint64_t *links);
