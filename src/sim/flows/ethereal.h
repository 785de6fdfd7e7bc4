// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Split flows: Ethereal (Addanki et al., arXiv 2407.00550). Hosts know all transfers of a step of a job, which are as
// large as each other. Each host deals its transfers to the uplinks of a switch in turn, and splits the r that are left
// over into u / gcd(r, u) parts each, the fewest with which all u uplinks carry as much. Each part keeps its path.
//
// The paper has leaves and spines. Here that is done layer by layer: once for each part of the fabric that the
// transfers go to, and for each path that they have taken so far. So each link carries what it would if each packet
// took a random path, up to what splitting whole packets leaves over.

#include "sim/flows/list.h"
#include "sim/flows/transfer.h"

// The same transfers, split, with the ways that they take. together: those of a host are all of one step; else each is
// a step. 0 or -ENOMEM.
int drb_ethereal_split(const struct drb_tree *tree, const struct drb_list *from, bool together,
		       struct drb_list *to);

// The uplink that a way takes at a switch of this layer.
static inline uint32_t drb_way_uplink(const struct drb_tree *tree, uint32_t way, uint32_t layer)
{
	for (uint32_t m = 1; m < layer; m++)
		way /= drb_tree_up_ports(tree, m);
	return way % drb_tree_up_ports(tree, layer);
}
