// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// bouncing: Digit-Reversal Bouncing (Cao et al., CoNEXT 2013). A pair of hosts sends its packets
// over the cores in turn, in the order of digit-reversed numbers. Round-robin at each switch
// upwards achieves that: the first uplink changes with every packet of the flow, the second with
// every d-th, and so on. Flows with the same hash share one rotation. Each worker of a switch has
// its own rotations. If some uplinks are dead, the rotation continues over the others.

#include "drb/scheme.h"

// Number of rotations that flows are hashed to.
#define DRB_TURNS 4096

struct drb_bouncing {
	uint16_t turn[DRB_TURNS]; // the uplink whose turn it is
};

static inline size_t drb_bouncing_size(const struct drb_scheme_setup *setup)
{
	(void)setup;
	return sizeof(struct drb_bouncing);
}

// Each rotation starts at a random uplink.
static inline void drb_bouncing_init(void *state, const struct drb_scheme_setup *setup)
{
	struct drb_bouncing *bouncing = state;

	for (uint32_t i = 0; i < DRB_TURNS; i++) {
		uint32_t bits = (uint32_t)(drb_mix64(setup->choice->salt + i) >> 32);
		bouncing->turn[i] = (uint16_t)drb_scale32(bits, setup->choice->uplinks);
	}
}

// The number of a flow's rotation.
static inline uint32_t drb_turn_of(const struct drb_choice *c, uint64_t flow)
{
	return drb_scale32(drb_salted32(flow, c->salt), DRB_TURNS);
}

DRB_RULE uint32_t drb_bouncing_choose(const struct drb_decider *s, struct drb_loads loads,
				      struct drb_decision *d)
{
	struct drb_bouncing *bouncing = s->state;
	uint16_t *turn = &bouncing->turn[drb_turn_of(&s->choice, d->flow)];
	uint32_t up = *turn;

	(void)loads;
	*turn = (uint16_t)(up + 1 == s->choice.uplinks ? 0 : up + 1);
	return up;
}

static inline uint32_t drb_bouncing_among(const struct drb_decider *s, uint64_t usable,
					  struct drb_loads loads, struct drb_decision *d)
{
	uint32_t up;

	do
		up = drb_bouncing_choose(s, loads, d);
	while (!(usable >> up & 1));
	return up;
}

DRB_SCHEME(bouncing) = {
	.abi = DRB_SCHEME_ABI,
	.name = "bouncing",
	.help = "round-robin over the uplinks for each flow: Digit-Reversal Bouncing",
	.colour = "#5b9e1f",
	.symbol = "X",
	.needs = DRB_READS_FLOW | DRB_PACKETS_ONLY | DRB_UNIFORM,
	.compares = DRB_COMPARES_NONE,
	.draw = DRB_DRAW_NONE,
	.unloaded = DRB_DRAW_NONE,
	.state_size = drb_bouncing_size,
	.init = drb_bouncing_init,
	.choose = drb_bouncing_choose,
	.choose_among = drb_bouncing_among,
};
