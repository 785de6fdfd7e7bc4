// SPDX-License-Identifier: BSD-3-Clause
#include "switch/datapath/worker/guarded.h"

// Returns the guard that has the decider's ops as its first member.
static const struct drb_guarded *guard_of(const struct drb_decider *s)
{
	return (const struct drb_guarded *)s->choice.ops;
}

static uint32_t guard_choose(const struct drb_decider *s, struct drb_loads loads,
			     struct drb_decision *d)
{
	return drb_guarded_choose(guard_of(s), s, loads, d);
}

static uint32_t choose_among(const struct drb_decider *s, uint64_t usable, struct drb_loads loads,
			     struct drb_decision *d)
{
	const struct drb_guarded *g = guard_of(s);
	const uint32_t def = d->def;

	d->mark &= (uint8_t)((1u << g->ops.mark_bits) - 1);
	uint32_t up = g->own->choose_among(s, usable, loads, d);
	if (up < s->choice.uplinks && !(usable >> up & 1))
		up = UINT32_MAX;
	up = drb_guard_uplink(g, s, up, def, d);
	return drb_usable_or_lowest(usable, up);
}

struct drb_guarded drb_guard(const struct drb_scheme_ops *own, uint64_t *errors)
{
	struct drb_guarded g = {.ops = *own, .own = own, .errors = errors};

	g.ops.choose = guard_choose;
	if (own->choose_among)
		g.ops.choose_among = choose_among;
	return g;
}
