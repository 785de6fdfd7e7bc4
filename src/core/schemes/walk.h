// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// walk: beyond the paper: drb while defaults are even, rounds over all uplinks while they overflow
// (docs/walk.md). core/routing/spread.h decides when to spread, and core/routing/rounds.h which
// uplink is next. A switch spreads the packets that switches below spread, and all packets while it
// has evidence of its own. Marks of 3 bits report that to the switches above. Each worker of a
// switch judges alone. While uplinks are dead, the same rules hold for the others.

#include "core/fabric/tree.h"
#include "core/routing/among.h"
#include "core/routing/candidates.h"
#include "core/routing/rounds.h"
#include "core/routing/spread.h"

#include "drb/threshold.h"

struct drb_walk {
	struct drb_spread spread;
	struct drb_div by_group; // divides a destination by d^m
	drb_round *round;        // one for each group, stored behind memory
	uint64_t memory[];       // of spread
};

static inline size_t drb_walk_words(const struct drb_scheme_setup *setup)
{
	return DRB_SPREAD_WORDS(setup->choice->uplinks,
				drb_tree_down_ports(setup->tree, setup->layer));
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
		return; // a core only checks its queues
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
		return d->def; // as T decides when all queues are empty
	uint32_t candidate = drb_candidate(&s->choice, loads, d->def, d->draw);

	return drb_ttc(s->choice.margin, d->def, candidate, loads);
}

// Counts the packet and marks it. Returns the round of a packet that is to be spread, else NULL.
DRB_RULE drb_round *drb_walk_round(const struct drb_decider *s, struct drb_decision *d)
{
	struct drb_walk *walk = s->state;
	const struct drb_spread own = {.distance = s->mark};

	if (walk->by_group.unit)
		__builtin_unreachable(); // with two uplinks or more, d is above 1
	drb_spread_count(&walk->spread, d->def, 1, d->size);
	d->mark = drb_spread_mark(&own, d->mark);
	d->walks = d->mark;
	return d->mark ? &walk->round[drb_round_of(&walk->by_group, d->dest)] : NULL;
}

DRB_RULE uint32_t drb_walk_choose(const struct drb_decider *s, struct drb_loads loads,
				  struct drb_decision *d)
{
	drb_round *round = drb_walk_round(s, d);

	return round ? drb_round_next(round, s->choice.uplinks, loads, &d->def)
		     : drb_walk_stay(s, loads, d);
}

static inline uint32_t drb_walk_among(const struct drb_decider *s, uint64_t usable,
				      struct drb_loads loads, struct drb_decision *d)
{
	struct drb_walk *walk = s->state;
	drb_round *round = drb_walk_round(s, d);
	uint32_t up = round ? drb_round_among(round, s->choice.uplinks, usable, loads, &d->def)
			    : drb_among(s, usable, loads, d, drb_walk_stay);

	drb_spread_join(&walk->spread, drb_load(loads, up));
	return up;
}

static inline void drb_walk_hear(void *state, uint8_t mark)
{
	struct drb_walk *walk = state;

	drb_spread_hear(&walk->spread, mark);
}

static inline bool drb_walk_tick(void *state, uint32_t now, uint32_t sent)
{
	struct drb_walk *walk = state;

	return drb_spread_tick(&walk->spread, now, sent);
}

static inline uint8_t drb_walk_own_mark(const void *state)
{
	const struct drb_walk *walk = state;

	return walk->spread.distance;
}

static inline void drb_walk_look(void *state, const uint32_t waiting[])
{
	struct drb_walk *walk = state;

	drb_spread_look(&walk->spread, waiting);
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
	.look = drb_walk_look,
	.own_mark = drb_walk_own_mark,
	.mark_down = drb_walk_mark_down,
	.count = drb_walk_count,
};
