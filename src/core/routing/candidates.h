// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Beyond Algorithm 1: the least loaded of more than two uplinks. Pure: loads and random bits come
// from the caller.

#include "drb/scheme.h"

// The least loaded of all uplinks, uniformly random among ties.
uint32_t drb_least_loaded(uint32_t uplinks, const uint32_t *load, uint64_t draw);

// The least loaded of choices-1 distinct random uplinks other than def, random among ties. choices
// is above 2.
uint32_t drb_candidate_of_many(uint32_t uplinks, uint32_t choices, uint32_t def,
			       const uint32_t *load, uint64_t draw);

// The uplink that the default is compared with. If choices is above 2, loads must be an array.
DRB_RULE uint32_t drb_candidate(const struct drb_choice *c, struct drb_loads loads, uint32_t def,
				uint64_t draw)
{
	return c->choices == 2 ? drb_other(c->uplinks, def, (uint32_t)(draw >> 32))
			       : drb_candidate_of_many(c->uplinks, c->choices, def, loads.at, draw);
}
