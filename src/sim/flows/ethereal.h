// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Split flows: Ethereal (Addanki et al., arXiv 2407.00550). Hosts know all transfers of a step.
// These begin in the same slot, or when the host has sent the one before. A transfer that waits for
// other hosts is a step of its own. Each host deals transfers of equal sizes to the u uplinks of a
// switch in turn. If r transfers are left over, each is split into u / gcd(r, u) parts. This is the
// smallest number of parts with which all uplinks carry the same load. Each part keeps its path. A
// transfer has one window, whether it is split or not. Its packets go to its parts in turn, in
// proportion to their sizes.
//
// The paper has leaves and spines. This code deals transfers layer by layer. In each layer, it
// deals transfers together if they go to the same part of the fabric and share their path so far.
// Each link then carries the load that it would carry if each packet took a random path, except for
// remainders of whole packets.

#include "sim/flows/list.h"
#include "sim/flows/transfer.h"

// The paths of the packets of all transfers of a list.
struct drb_ways {
	struct drb_split {
		// Index of its first part in part[]; the next transfer's part follows the last one.
		uint32_t first;
		uint32_t stride; // packet i of n has position i * stride modulo n
	} * of;                  // [index in the list, and one more], owned
	struct drb_split_part {
		uint32_t end; // its positions begin at the end of the part before
		uint32_t way;
	} * part; // owned
};

// Splits the transfers of a list. 0 or -ENOMEM.
int drb_ethereal_split(const struct drb_tree *tree, const struct drb_list *from,
		       struct drb_ways *to);
void drb_ways_free(struct drb_ways *ways);
// The number of the path of one packet.
uint32_t drb_way_of(const struct drb_ways *ways, uint32_t place, uint32_t sequence);

// The uplink that a path takes at a switch of this layer.
static inline uint32_t drb_way_uplink(const struct drb_tree *tree, uint32_t way, uint32_t layer)
{
	for (uint32_t m = 1; m < layer; m++)
		way /= drb_tree_up_ports(tree, m);
	return way % drb_tree_up_ports(tree, layer);
}
