// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Delays of links, and of what switches know about their queues.

#include "core/fabric/tree.h"

#define DRB_DELAY_MAX 1000 // slots

struct drb_delay {
	// [layer]: slots that a packet takes on a link from below to this layer, beyond the slot in
	// which it crosses. Links of hosts are those to layer 1.
	uint32_t link[DRB_LAYERS_MAX + 1];
	// Switches know the lengths that their queues had at the end of the slot this many slots
	// ago; 0: the lengths of now.
	uint32_t loads;
};

// The slots that links add to the path from a host to one at distance k.
static inline uint64_t drb_delay_of_way(const struct drb_delay *d, uint32_t k)
{
	uint64_t slots = 0;

	for (uint32_t m = 1; m <= k; m++)
		slots += 2 * (uint64_t)d->link[m];
	return slots;
}
