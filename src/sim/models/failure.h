// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Dead links and switches of a packet simulation, dead from the first slot on. Switches know of
// their own ports only, as by hellos, and of children that have no other uplink.

#include <stdint.h>

#include "core/routing/detour.h"
#include "core/fabric/tree.h"

// How many, at random: links between switches, and switches above layer 1 with all their links.
struct drb_fail {
	uint32_t links, switches;
};

struct drb_failures {
	struct drb_usable_ports
		*at; // [layer - 1][switch], for each layer as many as in layer 1. Owned
	uint32_t stride;
};

// How many switches there are that may fail; of links, drb_links_between().
uint64_t drb_fail_switches(const struct drb_tree *t);
// 0, -ERANGE (more than there are, or switches of more than 64 ports), -ENOMEM.
int drb_failures_make(struct drb_failures *f, const struct drb_tree *t, struct drb_fail fail,
		      uint64_t seed);
void drb_failures_free(struct drb_failures *f);

static inline struct drb_usable_ports drb_failures_at(const struct drb_failures *f, uint32_t layer,
						      uint32_t label)
{
	return f->at[(uint64_t)(layer - 1) * f->stride + label];
}
