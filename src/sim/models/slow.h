// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Slow links of a packet simulation. They are slow from the first slot on, in both directions. The
// packet at the head of the queue takes several slots to cross. Until it has crossed, it counts as
// part of the queue. Slow links are drawn at random. Or all links of a layer are slow, because a
// slot is the packet time of the faster links of other layers.

#include <stdbool.h>
#include <stdint.h>

#include "core/fabric/tree.h"

#define DRB_SLOW_MAX 1000 // slots

// The number of random links between switches that are slow, and the slots that a packet takes on
// them.
struct drb_slow {
	uint32_t links, slots;
};

// [layer]: the slots that a packet takes on a link from below to this layer, up or down; 0: one.
struct drb_paces {
	uint32_t of[DRB_LAYERS_MAX + 1];
};

static inline uint32_t drb_pace_of(const struct drb_paces *pace, uint32_t layer)
{
	return pace->of[layer] ? pace->of[layer] : 1;
}

// The slots that a packet takes on one link after the other, from a host up to a layer.
static inline uint32_t drb_pace_of_way(const struct drb_paces *pace, uint32_t layer)
{
	uint32_t slots = 0;

	for (uint32_t m = 1; m <= layer; m++)
		slots += drb_pace_of(pace, m);
	return slots;
}

// The most slots that a packet takes on one of these links.
static inline uint32_t drb_pace_most(const struct drb_paces *pace, uint32_t layer)
{
	uint32_t most = 1;

	for (uint32_t m = 1; m <= layer; m++)
		most = pace->of[m] > most ? pace->of[m] : most;
	return most;
}

#define DRB_LINK_IDLE UINT32_MAX

// State of the link of one queue.
struct drb_pace {
	uint32_t slots; // slots that a packet takes
	uint32_t last;  // the last slot of the packet that is crossing; DRB_LINK_IDLE: no packet is
};

struct drb_slow_links {
	// [layer][port], in the order of `len` in struct drb_layer; NULL: no link is slow. Owned.
	struct drb_pace *of[DRB_LAYERS_MAX + 1];
};

uint64_t drb_slow_bytes(const struct drb_tree *t);
// Draws the slow links. 0, -ERANGE (more links than there are, or not 1 to DRB_SLOW_MAX slots) or
// -ENOMEM.
int drb_slow_make(struct drb_slow_links *links, const struct drb_tree *t, struct drb_slow slow,
		  uint64_t seed);
// Allocates an entry for each link, for drb_pace_delay(). New entries are not slow; existing
// entries stay as they are. 0 or -ENOMEM.
int drb_slow_make_even(struct drb_slow_links *links, const struct drb_tree *t);
// Sets the slots of each link of a layer to those of `pace`. Does nothing if `pace` is one slot for
// all layers. 0 or -ENOMEM.
int drb_slow_make_layers(struct drb_slow_links *links, const struct drb_tree *t,
			 const struct drb_paces *pace);
void drb_slow_free(struct drb_slow_links *links);

// The entry of the queue at this end of a link between switches. Needs links->of[].
struct drb_pace *drb_slow_pace(const struct drb_slow_links *links, const struct drb_tree *t,
			       struct drb_end end);

// Called once a slot for each link, with the length of its queue. True: the packet at the head does
// not reach the other end in the next slot.
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

// True if the packet at the head of a queue leaves in this slot, before drb_pace_holds() is called.
static inline bool drb_pace_leaves(const struct drb_pace *p, uint32_t slot)
{
	return p->last == DRB_LINK_IDLE ? p->slots == 1 : slot >= p->last;
}

// Other traffic takes the link for one slot. A packet at the head crosses a slot later.
static inline void drb_pace_delay(struct drb_pace *p, uint32_t slot)
{
	if (p->last == DRB_LINK_IDLE)
		p->last = slot + p->slots - 1;
	p->last++;
}
