// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The rules of the schemes that the paper's is compared with. All take what Algorithm 1 takes
// (threshold_two_choice.h), with two uplinks or more:
//   loads  of the uplinks, as many as the scheme compares
//   def    the default uplink
//   flow   hash of the flow, for schemes with DRB_READS_FLOW
//   draw   random bits (draw.h); every outcome is a function of them

#include "core/routing/threshold_two_choice.h"

#define DRB_RULE(name)                                                                             \
	static inline __attribute__((always_inline))                                               \
	uint32_t drb_rule_##name(const struct drb_choice *c, struct drb_loads loads, uint32_t def, \
				 uint64_t flow, uint64_t draw)

// The least loaded of all uplinks, uniformly random among ties.
uint32_t drb_least_loaded(uint32_t uplinks, const uint32_t *load, uint64_t draw);

DRB_RULE(fixed)
{
	(void)c, (void)loads, (void)flow, (void)draw;
	return def;
}

DRB_RULE(random)
{
	(void)loads, (void)def, (void)flow;
	return drb_scale32((uint32_t)(draw >> 32), c->uplinks);
}

DRB_RULE(two_random)
{
	uint32_t a = drb_scale32((uint32_t)(draw >> 32), c->uplinks);
	uint32_t b = drb_other(c->uplinks, a, (uint32_t)draw);

	(void)def, (void)flow;
	return drb_select(drb_load(loads, b) < drb_load(loads, a), b, a);
}

DRB_RULE(hash)
{
	(void)loads, (void)def, (void)draw;
	return drb_scale32(drb_salted32(flow, c->salt), c->uplinks);
}

DRB_RULE(least)
{
	(void)def, (void)flow;
	return drb_least_loaded(c->uplinks, loads.at, draw);
}

#undef DRB_RULE
