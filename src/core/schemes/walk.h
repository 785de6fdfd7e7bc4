// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// walk: beyond the paper: drb while defaults are even, rounds over all uplinks while they overflow (docs/walk.md).
// core/routing/spread.h says when, core/routing/rounds.h where to. A switch spreads what the switches below spread, and
// all while it has evidence of its own; marks of 3 bits tell those above. Each worker of a switch judges for itself.
// Beside dead uplinks it is drb among the others: what it keeps is about all.

#include "core/fabric/tree.h"
#include "core/routing/among.h"
#include "core/routing/candidates.h"
#include "core/routing/rounds.h"
#include "core/routing/spread.h"

#include "drb/threshold.h"

struct drb_walk {
	struct drb_spread spread;
	struct drb_div by_group; // divides a destination by d^m
	drb_round *round;        // of each group, behind memory
	uint64_t memory[];       // of spread
};

static inline size_t drb_walk_words(const struct drb_scheme_setup *setup)
{
	return DRB_SPREAD_WORDS(setup->choice->uplinks);
}

static inline size_t drb_walk_size(const struct drb_scheme_setup *setup)
{
	return sizeof(struct drb_walk) + drb_walk_words(setup) * sizeof(uint64_t) +
	       (setup->choice->uplinks ? drb_rounds(setup->tree, setup->layer) : 0) *
		       sizeof(drb_round);
}

static inline void drb_walk_init(void *state, const struct drb_scheme_setup *setup)
{
	struct drb_walk *walk = state;
	const struct drb_spread_setup spread = {.tree = setup->tree,
						.layer = setup->layer,
						.packet_time = setup->packet_time,
						.rate = setup->rate,
						.part = setup->workers > 1};

	drb_spread_init(&walk->spread, &spread, walk->memory);
	if (setup->choice->uplinks == 0)
		return; // a core only marks what goes down
	if (setup->rates)
		drb_spread_set_rates(&walk->spread, setup->rates);
	walk->by_group = setup->tree->by[setup->layer];
	walk->round = (drb_round *)(walk->memory + drb_walk_words(setup));
	drb_rounds_init(walk->round, setup->tree, setup->layer, setup->choice->salt);
}

DRB_RULE uint32_t drb_walk_stay(const struct drb_decider *s, struct drb_loads loads,
				struct drb_decision *d)
{
	if (!loads.at)
		return d->def; // as T says of queues that are all empty
	uint32_t candidate = drb_candidate(&s->choice, loads, d->def, d->draw);

	return drb_ttc(s->choice.margin, d->def, candidate, loads);
}

DRB_RULE uint32_t drb_walk_choose(const struct drb_decider *s, struct drb_loads loads,
				  struct drb_decision *d)
{
	struct drb_walk *walk = s->state;
	const struct drb_spread own = {.distance = s->mark};

	if (walk->by_group.unit)
		__builtin_unreachable(); // with two uplinks or more, d is above 1
	drb_spread_count(&walk->spread, d->def, 1, d->size);
	d->mark = drb_spread_mark(&own, d->mark);
	if (!d->mark)
		return drb_walk_stay(s, loads, d);
	d->walks = true;
	return drb_round_next(&walk->round[drb_round_of(&walk->by_group, d->dest)],
			      s->choice.uplinks, loads, &d->def);
}

static inline uint32_t drb_walk_among(const struct drb_decider *s, uint64_t usable,
				      struct drb_loads loads, struct drb_decision *d)
{
	return drb_among(s, usable, loads, d, drb_walk_stay);
}

static inline void drb_walk_hear(void *state, uint8_t mark)
{
	struct drb_walk *walk = state;

	drb_spread_hear(&walk->spread, mark);
}

static inline void drb_walk_tick(void *state, uint32_t now, uint32_t sent)
{
	struct drb_walk *walk = state;

	drb_spread_tick(&walk->spread, now, sent);
}

static inline uint8_t drb_walk_own_mark(const void *state)
{
	const struct drb_walk *walk = state;

	return walk->spread.distance;
}

static inline uint8_t drb_walk_mark_down(void *state, uint8_t mark, bool from_below)
{
	struct drb_walk *walk = state;

	return drb_spread_mark_down(&walk->spread, mark, from_below);
}

static inline void drb_walk_count(void *state, const uint32_t packets[])
{
	struct drb_walk *walk = state;

	for (uint32_t u = 0; u < walk->spread.uplinks; u++)
		drb_spread_count(&walk->spread, u, packets[u], packets[u]);
}

DRB_SCHEME(walk) = {
	.abi = DRB_SCHEME_ABI,
	.name = "walk",
	.help = "drb, but round-robin over all uplinks while defaults overflow",
	.colour = "#8f4fd8",
	.symbol = "h",
	.needs = DRB_READS_SIZE | DRB_HAS_THRESHOLD | DRB_PACKETS_ONLY | DRB_DEFAULT_UNLOADED |
		 DRB_TAKES_TURNS | DRB_AT_CORES | DRB_UNIFORM,
	.compares = DRB_COMPARES_TWO,
	.draw = DRB_DRAW_OTHER,
	.unloaded = DRB_DRAW_NONE,
	.mark_bits = 3,
	.state_size = drb_walk_size,
	.init = drb_walk_init,
	.choose = drb_walk_choose,
	.choose_among = drb_walk_among,
	.hear = drb_walk_hear,
	.tick = drb_walk_tick,
	.own_mark = drb_walk_own_mark,
	.mark_down = drb_walk_mark_down,
	.count = drb_walk_count,
};
