// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Guards a loaded scheme: wrong decisions are corrected and counted, so they lose no packet. The
// trial (common/schemes/trial.h) tries some decisions, not all.

#include "core/routing/decide.h"

struct drb_guarded {
	struct drb_scheme_ops ops; // the scheme's, with calls through the guard
	const struct drb_scheme_ops *own;
	uint64_t *errors; // counter of the worker
};

// Makes the guard of a scheme, which is constant from then on.
struct drb_guarded drb_guard(const struct drb_scheme_ops *own, uint64_t *errors);

// Returns an uplink that exists, and limits the mark to bits that packets carry. def: the default
// before the scheme was called.
static inline uint32_t drb_guard_uplink(const struct drb_guarded *g, const struct drb_decider *s,
					uint32_t up, uint32_t def, struct drb_decision *d)
{
	const uint32_t uplinks = s->choice.uplinks;

	d->mark &= (uint8_t)((1u << g->ops.mark_bits) - 1);
	if (__builtin_expect(up < uplinks && d->def < uplinks, 1))
		return up;
	++*g->errors;
	d->def = def;
	return up < uplinks ? up : def;
}

static inline uint32_t drb_guarded_choose(const struct drb_guarded *g, const struct drb_decider *s,
					  struct drb_loads loads, struct drb_decision *d)
{
	const uint32_t def = d->def;

	d->mark &= (uint8_t)((1u << g->ops.mark_bits) - 1);
	return drb_guard_uplink(g, s, g->own->choose(s, loads, d), def, d);
}
