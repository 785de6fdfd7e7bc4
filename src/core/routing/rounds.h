// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Rounds select the uplinks of the packets that scheme walk spreads (spread.h says when it does).
// The destinations below one switch of layer m are a group: they share the down-links below the
// switches of layer m on their side. For each group a switch keeps a round: its packets take the
// uplinks in turn. Each uplink, and the down-link that mirrors it, then gets an equal share of the
// group's packets, evenly spaced.
// The packet takes the less loaded of the uplink whose turn it is and the next one. The other of
// the two has the next turn. That shortens queues upwards and keeps the shares equal to within one
// packet. A slow uplink that carries less than its share would be given more than it can send,
// without end. An uplink with more than DRB_ROUND_LAG packets above the next one therefore loses
// its turn (docs/walk.md, rounds).
// Pure: memory comes from the caller.

#include <stdint.h>

#include "core/fabric/tree.h"
#include "core/routing/choice.h"

#define DRB_ROUND_LAG 16 // packets

// The round of a group: the uplink whose turn it is in the lower half, the next one in the upper
// half.
typedef uint32_t drb_round;

// Number of groups of destinations at layer m < l: 2 d^(l-m).
static inline uint32_t drb_rounds(const struct drb_tree *t, uint32_t layer)
{
	return 2 * t->pow[t->layers - layer];
}

// The group of a destination. by: divides by d^m.
static inline uint32_t drb_round_of(const struct drb_div *by, uint32_t dest)
{
	return drb_div(dest, by);
}

// Fills in the rounds of a switch of this layer. Each starts at a random uplink: rounds of many
// switches that start together would meet downwards.
void drb_rounds_init(drb_round round[], const struct drb_tree *t, uint32_t layer, uint64_t salt);

static inline uint32_t drb_round_after(uint32_t up, uint32_t uplinks)
{
	return up + 1 == uplinks ? 0 : up + 1;
}

// Takes one of these two uplinks, the next in the round, as drb_round_next() does.
static inline uint32_t drb_round_take(drb_round *round, uint32_t first, uint32_t second,
				      uint32_t uplinks, struct drb_loads loads)
{
	uint32_t next = drb_round_after(second, uplinks);
	uint32_t load = drb_load(loads, first), other = drb_load(loads, second);
	uint32_t up = drb_select(other < load, second, first);
	uint32_t waits = first ^ second ^ up;

	if (__builtin_expect(load > other + DRB_ROUND_LAG, 0)) {
		waits = next;
		next = drb_round_after(next, uplinks);
	}
	*round = waits | next << 16;
	return up;
}

// The uplink of a packet that is spread. *turn: the uplink whose turn it was.
static inline uint32_t drb_round_next(drb_round *round, uint32_t uplinks, struct drb_loads loads,
				      uint32_t *turn)
{
	*turn = *round & UINT16_MAX;
	return drb_round_take(round, *turn, *round >> 16, uplinks, loads);
}

// The same among the uplinks whose bits are set in usable, at least one. The others lose their
// turns, so that the usable ones still get equal shares.
static inline uint32_t drb_round_among(drb_round *round, uint32_t uplinks, uint64_t usable,
				       struct drb_loads loads, uint32_t *turn)
{
	uint32_t first = *round & UINT16_MAX, second = *round >> 16;

	while (!(usable >> first & 1)) {
		first = second;
		second = drb_round_after(second, uplinks);
	}
	while (!(usable >> second & 1))
		second = drb_round_after(second, uplinks);
	*turn = first;
	return drb_round_take(round, first, second, uplinks, loads);
}
