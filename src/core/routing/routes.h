// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The paths around known outages: for each rack, the ports of a switch from which a shortest path over the
// remaining links begins. A spare link counts as DRB_ROUTES_SPARE links, so it is used where there is no
// other path. All switches that know the same outages come nearer with each hop, whichever of these ports
// they choose. Pure, apart from its own memory.

#include <stdbool.h>
#include <stdint.h>

#include "core/fabric/tree.h"
#include "core/links/outages.h"

// Switches of the largest fabric whose outages are routed around. Larger ones have detours alone: a switch
// finds its ways between two bursts.
#define DRB_ROUTES_SWITCHES_MAX 2048
#define DRB_ROUTES_SPARE 32

struct drb_routes_node {
	uint64_t dead, spare; // ports
	bool is_dead, all_spare;
	uint64_t via;    // ports of the switch at which all ways begin
	uint32_t length; // of the shortest way; UINT32_MAX: none
	bool waits;      // in the queue
};

struct drb_routes {
	struct drb_tree tree;
	uint32_t layer, label; // of this switch
	uint32_t racks, switches;
	uint32_t first[DRB_LAYERS_MAX + 1]; // number of the first switch of a layer
	struct drb_routes_node *node;       // of each switch; owned. NULL: the fabric is too large
	uint32_t *queue;                    // a ring with room for each switch; owned
};

// True if a fabric is small enough for routes.
bool drb_routes_fit(const struct drb_tree *tree);
// 0 or -ENOMEM. A fabric that is too large has no routes: node is NULL.
int drb_routes_init(struct drb_routes *r, const struct drb_tree *tree, uint32_t layer,
		    uint32_t label);
void drb_routes_free(struct drb_routes *r);
// Finds the ways around these outages and this switch's own ports that are dead or not there (a bit each).
void drb_routes_find(struct drb_routes *r, const struct drb_outages *outages, uint64_t own_dead);
// The ports towards a rack, a bit each; 0: there is no way, or it is this switch.
static inline uint64_t drb_routes_to(const struct drb_routes *r, uint32_t rack)
{
	return r->node[rack].via; // layer 1 comes first
}
