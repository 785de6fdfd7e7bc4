// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// How long packets, and what is known of queues, are on their way.

#include "core/fabric/tree.h"

#define DRB_DELAY_MAX 1000 // slots

struct drb_delay {
	// [layer]: slots that links to it from below, hosts' for layer 1, add to the one in which a packet crosses.
	uint32_t link[DRB_LAYERS_MAX + 1];
	// Switches know the lengths of their queues as of the end of the slot so long ago; 0: as they are.
	uint32_t loads;
};

// What the links add on the way from a host to one at distance k.
static inline uint64_t drb_delay_of_way(const struct drb_delay *d, uint32_t k)
{
	uint64_t slots = 0;

	for (uint32_t m = 1; m <= k; m++)
		slots += 2 * (uint64_t)d->link[m];
	return slots;
}
