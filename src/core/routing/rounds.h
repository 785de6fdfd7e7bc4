// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Where to packets go that scheme walk spreads (spread.h says when): down-links below a switch of
// layer m are shared by the destinations below a switch of layer m of their side, a group. For each
// group a switch keeps a round: packets take the uplinks in turn, so each uplink, and the down-link
// that mirrors it, gets an equal share of the group's packets, evenly spaced. Of the uplink whose turn
// it is and the next one the less loaded is taken, and the other waits: that shortens queues on the
// way up and leaves the shares as they are, to within one packet. An uplink that carries less than its
// share, because it is slower than the others, would be given more than it can send for ever: one that has
// more than DRB_ROUND_LAG packets above the next one gives its turn up (docs/walk.md, rounds).
// Pure: memory comes from the caller.

#include <stdint.h>

#include "core/fabric/tree.h"
#include "core/routing/choice.h"

#define DRB_ROUND_LAG 16 // packets

// The round of a group: the uplink whose turn it is, and the next one in the upper half.
typedef uint32_t drb_round;

// Groups of destinations at layer m < l: 2 d^(l-m).
static inline uint32_t drb_rounds(const struct drb_tree *t, uint32_t layer)
{
	return 2 * t->pow[t->layers - layer];
}

// The group of a destination. by: divides by d^m.
static inline uint32_t drb_round_of(const struct drb_div *by, uint32_t dest)
{
	return drb_div(dest, by);
}

// The rounds of a switch of this layer, which begin anywhere: all switches at the same uplink would
// meet on the way down.
void drb_rounds_init(drb_round round[], const struct drb_tree *t, uint32_t layer, uint64_t salt);

static inline uint32_t drb_round_after(uint32_t up, uint32_t uplinks)
{
	return up + 1 == uplinks ? 0 : up + 1;
}

// The uplink of a packet that walks. *turn: whose turn it was.
static inline uint32_t drb_round_next(drb_round *round, uint32_t uplinks, struct drb_loads loads,
				      uint32_t *turn)
{
	uint32_t first = *round & UINT16_MAX, second = *round >> 16;
	uint32_t next = drb_round_after(second, uplinks);
	uint32_t load = drb_load(loads, first), other = drb_load(loads, second);
	uint32_t up = drb_select(other < load, second, first);
	uint32_t waits = first ^ second ^ up;

	*turn = first;
	if (__builtin_expect(load > other + DRB_ROUND_LAG, 0)) {
		waits = next;
		next = drb_round_after(next, uplinks);
	}
	*round = waits | next << 16;
	return up;
}
