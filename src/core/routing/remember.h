// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Uplinks that a switch remembers from one packet to the next, for schemes that others have
// published. Each worker of a switch remembers its own. Pure: memory comes from the caller.
//   drill   DRILL(2,1) (Ghorbani et al., SIGCOMM 2017): the shortest of two random uplinks and the
//           one that was shortest last time, which is the one taken then. On two uplinks it is micro.
//   bouncing  Digit-Reversal Bouncing (Cao et al., CoNEXT 2013): a pair of hosts sends its packets over
//           the cores in turn, in the order of digit-reversed numbers. A turn of each switch on the
//           way up does that: the first uplink changes with every packet of the flow, the second
//           with every d-th, and so on. Flows whose hashes meet share a turn.

#include "core/math/random.h"
#include "core/routing/choice.h"

// What a switch with this choice begins with, drb_scheme_table[scheme].remembers uplinks: any.
void drb_remember_init(uint16_t remembered[], const struct drb_choice *c);

// drill: the sampled uplink, or the remembered one if it is shorter.
static inline uint32_t drb_remember_shortest(uint16_t *remembered, struct drb_loads loads,
					     uint32_t sampled)
{
	uint32_t last = *remembered;
	uint32_t up = drb_select(drb_load(loads, last) < drb_load(loads, sampled), last, sampled);

	*remembered = (uint16_t)up;
	return up;
}

// bouncing: which of the DRB_TURNS turns is that of a flow.
static inline uint32_t drb_turn_of(const struct drb_choice *c, uint64_t flow)
{
	return drb_scale32(drb_salted32(flow, c->salt), DRB_TURNS);
}

// bouncing: the uplink whose turn it is.
static inline uint32_t drb_turn_next(uint16_t *turn, uint32_t uplinks)
{
	uint32_t up = *turn;

	*turn = (uint16_t)(up + 1 == uplinks ? 0 : up + 1);
	return up;
}
