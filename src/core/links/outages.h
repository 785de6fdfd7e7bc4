// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The links of a fabric that are dead or spare, as switches tell each other in hellos. The wiring is a
// formula, so only these are told. Each end of such a link tells of it, with distance 0, and each switch
// tells what it hears, with a distance one longer. What nobody sees any more thus disappears: the rest tell
// it each other with growing distances. Pure.

#include <stdbool.h>
#include <stdint.h>

#include "core/fabric/tree.h"

#define DRB_OUTAGES_MAX 128 // more are left out, the farthest first

struct drb_outages {
	uint32_t count;
	uint32_t key[DRB_OUTAGES_MAX]; // rising; drb_outage_key()
	uint8_t distance[DRB_OUTAGES_MAX];
	uint8_t farthest; // the greatest distance, where count is DRB_OUTAGES_MAX. Of drb_outages_add()
};

// A link between switches by its number: up-port u of switch (layer, label). Fabrics beyond
// DRB_OUTAGE_LINKS_MAX links have none.
#define DRB_OUTAGE_LINKS_MAX (UINT32_C(1) << 24)

static inline uint64_t drb_outage_links(const struct drb_tree *t)
{
	return (uint64_t)drb_tree_links(t) * (t->layers - 1);
}

static inline uint32_t drb_outage_link(const struct drb_tree *t, uint32_t layer, uint32_t label,
				       uint32_t up_port)
{
	return (layer - 1) * drb_tree_links(t) + label * drb_tree_up_ports(t, layer) + up_port;
}

// What is told of a link: that it is dead, or that it is spare. A link may be both, as its ends see it: dead.
static inline uint32_t drb_outage_key(uint32_t link, bool spare)
{
	return link << 1 | spare;
}

// The lower end of a link: one of its up-ports.
struct drb_end drb_outage_end(const struct drb_tree *t, uint32_t link);
// The link of a port of a switch (layer, label), down-ports first; not of a port to a host.
uint32_t drb_outage_of_port(const struct drb_tree *t, uint32_t layer, uint32_t label,
			    uint32_t port);

// Known at this distance, or at a lesser one already. Nothing beyond drb_outage_distance_max().
void drb_outages_add(struct drb_outages *o, const struct drb_tree *t, uint32_t key,
		     uint32_t distance);
// All that a neighbour knows, but for links of switch (layer, label) itself, which knows better.
void drb_outages_hear(struct drb_outages *o, const struct drb_tree *t,
		      const struct drb_outages *told, uint32_t layer, uint32_t label);
static inline uint32_t drb_outage_distance_max(const struct drb_tree *t)
{
	return 4 * t->layers;
}
// The same links, at whatever distance.
bool drb_outages_same_links(const struct drb_outages *a, const struct drb_outages *b);
// The same at the same distances.
bool drb_outages_equal(const struct drb_outages *a, const struct drb_outages *b);
