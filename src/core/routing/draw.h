// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Random numbers for decisions. A scheme gets 64 bits (`draw`) and reads the upper half, or both
// halves if it draws two uplinks. The number of uplinks is small, so one random number serves
// several decisions.

#include "core/math/random.h"
#include "core/routing/choice.h"

// The bits that a switch with this choice draws.
static inline enum drb_draw drb_draw_of(const struct drb_choice *c)
{
	enum drb_draw draw = c->ops->draw;

	return draw == DRB_DRAW_OTHER && c->choices > 2 ? DRB_DRAW_WORD : draw;
}

// The number of decisions that one random number serves; UINT32_MAX: they need none. uplinks >= 2.
static inline uint32_t drb_draws_per_number(enum drb_draw draw, uint32_t uplinks)
{
	switch (draw) {
	case DRB_DRAW_NONE:
		return UINT32_MAX;
	case DRB_DRAW_OTHER:
		return drb_rng_shares(uplinks - 1);
	case DRB_DRAW_ANY:
		return drb_rng_shares(uplinks);
	case DRB_DRAW_TWO:
		return drb_rng_shares(uplinks * (uplinks - 1));
	case DRB_DRAW_WORD:
		return 1;
	}
	return 1;
}

// The draw of the next decision, taken from a number that serves drb_draws_per_number() of them.
static inline __attribute__((always_inline)) uint64_t drb_draw_next(enum drb_draw draw,
								    uint32_t uplinks,
								    uint64_t *number)
{
	uint64_t first;

	switch (draw) {
	case DRB_DRAW_OTHER:
		return (uint64_t)drb_rng_share(number, uplinks - 1) << 32;
	case DRB_DRAW_ANY:
		return (uint64_t)drb_rng_share(number, uplinks) << 32;
	case DRB_DRAW_TWO:
		first = (uint64_t)drb_rng_share(number, uplinks) << 32;
		return first | drb_rng_share(number, uplinks - 1);
	case DRB_DRAW_NONE:
	case DRB_DRAW_WORD:
		break;
	}
	return *number;
}
