// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The links and switches of a fabric that are dead or spare, as hellos carry them from switch to
// switch. The wiring is a formula, so hellos name only these outages. A switch that sees an outage
// reports it with distance 0. Each other switch repeats what it hears with the distance plus one.
// An outage that no switch sees any more disappears, because its distances keep growing.
//   link dead     reported by both ends, once they hear that the other end is alive
//   switch dead   reported by each neighbour whose link to it is dead and that hears no sign of its
//                 life. A sign of life is its report of an outage of its own links, or the next:
//   switch alive  reported by a switch that hears that it or its end of a link is dead, and that
//                 reports no other outage of its own
//   link spare    reported by both ends, unless a whole end is spare
//   switch spare  reported by a switch all of whose working links are spare
// Thus a dead or drained switch is one outage, a dead link two, a spare link one. If a hello cannot
// hold all outages, all switches learn that. Pure.

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "core/fabric/tree.h"

#define DRB_OUTAGES_MAX 352 // a hello with this number fits into any link of a fabric

struct drb_outages {
	uint32_t count;
	uint32_t key[DRB_OUTAGES_MAX]; // rising; drb_outage_key()
	uint8_t distance[DRB_OUTAGES_MAX];
	// Distance of the nearest switch that left outages out, plus one: 1 means this switch. 0:
	// complete.
	uint8_t more;
};

// Copies only the entries in use, which are mostly none.
static inline void drb_outages_copy(struct drb_outages *to, const struct drb_outages *from)
{
	to->count = from->count;
	to->more = from->more;
	memcpy(to->key, from->key, from->count * sizeof(from->key[0]));
	memcpy(to->distance, from->distance, from->count);
}

enum drb_outage_kind {
	DRB_OUTAGE_DEAD, // a dead switch, or a dead link as its lower end reports it
	DRB_OUTAGE_SPARE,
	DRB_OUTAGE_ALIVE,      // a switch
	DRB_OUTAGE_DEAD_ABOVE, // a dead link as its upper end reports it
};

// Switches and links share one numbering: switches from layer 1 up, then links by their lower end,
// up-port u of switch (layer, label). Fabrics with more items than a hello's field can number have
// no outages.
#define DRB_OUTAGE_ITEMS_MAX (UINT32_C(1) << 16)
// The largest drb_outage_distance_max() of any fabric.
#define DRB_OUTAGE_DISTANCE_MAX 63

static inline uint64_t drb_outage_items(const struct drb_tree *t)
{
	return drb_tree_switches_total(t) + (uint64_t)drb_tree_links(t) * (t->layers - 1);
}

static inline uint32_t drb_outage_link(const struct drb_tree *t, uint32_t layer, uint32_t label,
				       uint32_t up_port)
{
	return drb_tree_switches_total(t) + (layer - 1) * drb_tree_links(t) +
	       label * drb_tree_up_ports(t, layer) + up_port;
}

uint32_t drb_outage_switch(const struct drb_tree *t, uint32_t layer, uint32_t label);

// Key of a report about an item.
static inline uint32_t drb_outage_key(uint32_t item, enum drb_outage_kind kind)
{
	return item << 2 | kind;
}

static inline uint32_t drb_outage_item(uint32_t key)
{
	return key >> 2;
}

static inline enum drb_outage_kind drb_outage_kind(uint32_t key)
{
	return key & 3;
}

// The only switch that makes this report, which proves it alive; DRB_OUTAGE_NOBODY: several may
// make it.
#define DRB_OUTAGE_NOBODY UINT32_MAX
uint32_t drb_outage_sayer(const struct drb_tree *t, uint32_t key);
// The lower end of a link, which is an up-port.
struct drb_end drb_outage_end(const struct drb_tree *t, uint32_t link);
// The link of a port of switch (layer, label), down-ports first. The port must not lead to a host.
uint32_t drb_outage_of_port(const struct drb_tree *t, uint32_t layer, uint32_t label,
			    uint32_t port);

// Adds an outage, or lowers its distance if it is known at a larger one. If there are too many,
// drops the farthest, and of equally far ones the last. Ignores outages beyond
// drb_outage_distance_max() and items that the tree does not have.
void drb_outages_add(struct drb_outages *o, const struct drb_tree *t, uint32_t key,
		     uint32_t distance);
static inline uint32_t drb_outage_distance_max(const struct drb_tree *t)
{
	return 4 * t->layers < DRB_OUTAGE_DISTANCE_MAX ? 4 * t->layers : DRB_OUTAGE_DISTANCE_MAX;
}
bool drb_outages_has(const struct drb_outages *o, uint32_t key);

// State of a switch's own ports, as bits, down-ports first, and what its neighbours report.
struct drb_outage_sources {
	const struct drb_tree *tree;
	uint32_t layer, label;
	uint64_t dead, spare; // ports to switches; dead includes those that do not exist
	// By port: outages in the neighbour's hellos. NULL: none heard.
	const struct drb_outages *heard[64];
};
// Computes from it the outages that the switch knows. *o need not be initialised.
void drb_outages_gather(struct drb_outages *o, const struct drb_outage_sources *s);

// True if the outages are the same at any distances.
bool drb_outages_same(const struct drb_outages *a, const struct drb_outages *b);
// True if the outages and their distances are the same.
bool drb_outages_equal(const struct drb_outages *a, const struct drb_outages *b);
