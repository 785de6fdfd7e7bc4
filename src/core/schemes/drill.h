// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// drill: DRILL(2,1) (Ghorbani et al., SIGCOMM 2017). It takes the shortest of two random uplinks
// and the uplink that it took last time, which was the shortest then. With two uplinks it equals
// micro. Each worker of a switch remembers its own last uplink. If some uplinks are dead, it is
// micro among the others, without memory.

#include "core/routing/among.h"

struct drb_drill {
	uint32_t last; // the uplink taken last
};

static inline size_t drb_drill_size(const struct drb_scheme_setup *setup)
{
	(void)setup;
	return sizeof(struct drb_drill);
}

// The first memory is a random uplink.
static inline void drb_drill_init(void *state, const struct drb_scheme_setup *setup)
{
	struct drb_drill *drill = state;
	uint32_t bits = (uint32_t)(drb_mix64(setup->choice->salt) >> 32);

	drill->last = drb_scale32(bits, setup->choice->uplinks);
}

DRB_RULE uint32_t drb_drill_sample(const struct drb_decider *s, struct drb_loads loads,
				   struct drb_decision *d)
{
	return drb_two_random(s->choice.uplinks, loads, d->draw);
}

DRB_RULE uint32_t drb_drill_choose(const struct drb_decider *s, struct drb_loads loads,
				   struct drb_decision *d)
{
	struct drb_drill *drill = s->state;
	uint32_t sampled = drb_drill_sample(s, loads, d), last = drill->last;

	drill->last = drb_select(drb_load(loads, last) < drb_load(loads, sampled), last, sampled);
	return drill->last;
}

static inline uint32_t drb_drill_among(const struct drb_decider *s, uint64_t usable,
				       struct drb_loads loads, struct drb_decision *d)
{
	return drb_among(s, usable, loads, d, drb_drill_sample);
}

DRB_SCHEME(drill) = {
	.abi = DRB_SCHEME_ABI,
	.name = "drill",
	.help = "the least loaded of two random uplinks and the one taken last: DRILL(2,1)",
	.colour = "#e0457b",
	.symbol = "P",
	.needs = DRB_PACKETS_ONLY | DRB_UNIFORM,
	.compares = DRB_COMPARES_TWO,
	.draw = DRB_DRAW_TWO,
	.unloaded = DRB_DRAW_TWO,
	.state_size = drb_drill_size,
	.init = drb_drill_init,
	.choose = drb_drill_choose,
	.choose_among = drb_drill_among,
};
