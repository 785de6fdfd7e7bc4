// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Whether queues keep growing: all of them together, or any one of them. An overloaded link among
// thousands hardly shows in the sum.
//
// The sum grows if, from the third to the last quarter of the slots, packets inside became more by a
// tenth (steady growth from nothing: 7/5) and by at least 0.2 % of what was offered meanwhile. A
// stable fabric that still fills up at rho = 0.99 stays below both.
//
// A link grows if its queue was never found empty in these two quarters of q slots and its mean
// length rose from one to the other by more than chance lets it: a queue with arrivals of variance 1
// a slot and load rho drifts by (rho - 1) q between them, with a standard deviation of less than
// 0.8 sqrt(q). Allowed are 3.5 sqrt(q) - (1 - rho) q, the most of 10^5 queues, and always
// 0.75 sqrt(q), for a stable link's load may lie between rho and 1. Where layer 1 has fewer uplinks than d,
// rho is here the load of these. So short runs near full load
// tell only fast growth: take more slots.

#include <stdbool.h>
#include <stdint.h>

#include "sim/models/fabric.h"

#define DRB_GROWTH_EVERY 8 // slots from one look at all queues to the next

struct drb_growth {
	uint32_t slots;
	double rho, hosts;
	double link_rho;      // of uplinks
	double before, after; // packets inside, summed over the third and the last quarter
	// Of each queue, in the order of layers and of their `len`: the lengths summed likewise;
	// before is UINT64_MAX where it was found empty. Owned.
	struct drb_growth_link {
		uint64_t before, after;
	} * link;
	uint64_t links;
};

uint64_t drb_growth_bytes(const struct drb_tree *t);
// 0 or -ENOMEM. slots: of the run.
int drb_growth_init(struct drb_growth *g, const struct drb_tree *t, uint32_t slots, double rho);
void drb_growth_free(struct drb_growth *g);

// After each slot: the queues, and how many packets are inside.
void drb_growth_slot(struct drb_growth *g, const struct drb_fabric *f, uint32_t slot,
		     uint64_t inside);

// After the last slot.
bool drb_growth_of_sum(const struct drb_growth *g);
uint64_t drb_growth_of_links(const struct drb_growth *g);
