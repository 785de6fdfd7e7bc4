// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The paths around known outages: for each rack, the ports of a switch from which a shortest path
// over the remaining links begins. A spare link counts as DRB_ROUTES_SPARE links, so it is used
// only where there is no other path. If all switches know the same outages, each hop comes nearer
// to the rack, whichever of these ports it takes. Pure, except for its own memory.

#include <stdbool.h>
#include <stdint.h>

#include "core/fabric/tree.h"
#include "core/links/outages.h"

// The most switches of a fabric with routes around outages. Larger fabrics have only detours,
// because a switch computes its paths between two bursts.
#define DRB_ROUTES_SWITCHES_MAX 2048
#define DRB_ROUTES_SPARE 32

struct drb_routes_node {
	uint64_t dead, spare; // ports, as bits
	bool is_dead, all_spare;
	uint64_t via;    // ports of this switch from which shortest paths to the node begin
	uint32_t length; // length of the shortest path; UINT32_MAX: there is none
	bool waits;      // it is in the queue
};

struct drb_routes {
	struct drb_tree tree;
	uint32_t layer, label; // this switch
	uint32_t racks, switches;
	uint32_t first[DRB_LAYERS_MAX + 1]; // number of the first switch of each layer
	struct drb_routes_node *node; // one for each switch; owned. NULL: the fabric is too large
	uint32_t *queue;              // a ring with an entry for each switch; owned
};

// True if a fabric is small enough for routes.
bool drb_routes_fit(const struct drb_tree *tree);
// Returns 0 or -ENOMEM. A fabric that is too large has no routes: node is NULL.
int drb_routes_init(struct drb_routes *r, const struct drb_tree *tree, uint32_t layer,
		    uint32_t label);
void drb_routes_free(struct drb_routes *r);
// Finds the paths around these outages and around this switch's own dead or missing ports (bits).
void drb_routes_find(struct drb_routes *r, const struct drb_outages *outages, uint64_t own_dead);
// The ports towards a rack, as bits. 0: there is no path, or the rack is this switch.
static inline uint64_t drb_routes_to(const struct drb_routes *r, uint32_t rack)
{
	return r->node[rack].via; // layer 1 comes first
}
