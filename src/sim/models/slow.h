// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Slow links of a packet simulation, slow from the first slot on, in both directions. A packet that is at the
// head of its queue takes so many slots to cross; until it has, it counts as part of the queue.

#include <stdbool.h>
#include <stdint.h>

#include "core/fabric/tree.h"

#define DRB_SLOW_MAX 1000 // slots

// How many links between switches, at random, and how many slots a packet takes on them. No links: none is slow.
struct drb_slow {
	uint32_t links, slots;
};

#define DRB_LINK_IDLE UINT32_MAX

// Of the link of one queue.
struct drb_pace {
	uint32_t slots; // that a packet takes
	uint32_t last;  // of these, for the packet that crosses; DRB_LINK_IDLE: none does
};

struct drb_slow_links {
	// [layer][port], in the order of `len` in struct drb_layer; NULL: no link is slow. Owned.
	struct drb_pace *of[DRB_LAYERS_MAX + 1];
};

uint64_t drb_slow_bytes(const struct drb_tree *t);
// 0, -ERANGE (more links than there are, or not 1 to DRB_SLOW_MAX slots), -ENOMEM.
int drb_slow_make(struct drb_slow_links *links, const struct drb_tree *t, struct drb_slow slow,
		  uint64_t seed);
// The links of all queues, as fast as ever unless some are slow already: for drb_pace_delay(). -ENOMEM.
int drb_slow_make_even(struct drb_slow_links *links, const struct drb_tree *t);
void drb_slow_free(struct drb_slow_links *links);

// That of the queue that this end of a link between switches has. Some link is slow.
struct drb_pace *drb_slow_pace(const struct drb_slow_links *links, const struct drb_tree *t,
			       struct drb_end end);

// To be called once a slot for a link, with the length of its queue: the packet at the head does not reach
// the other end in the next slot.
static inline bool drb_pace_holds(struct drb_pace *p, uint32_t len, uint32_t slot)
{
	if (len == 0)
		return false;
	if (p->last == DRB_LINK_IDLE)
		p->last = slot + p->slots - 1;
	if (slot < p->last)
		return true;
	p->last = DRB_LINK_IDLE;
	return false;
}

// Something else takes the link for one slot: the packet at the head, if there is one, crosses a slot later.
static inline void drb_pace_delay(struct drb_pace *p, uint32_t slot)
{
	if (p->last == DRB_LINK_IDLE)
		p->last = slot + p->slots - 1;
	p->last++;
}
