// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Beyond the paper, scheme rotate: shifted defaults. A packet takes as its default uplink at layer
// m not D-mod-k's, h_m, but (h_m + e_m) mod d, e_m being digit m of a shift e:
// the number of the current slot, on a clock all switches share. Threshold-based two-choice goes
// on top as always. All destinations shifted by the same e still have disjoint down-paths; a flow
// that persists no longer fills one path. Where layer 1 has u < d uplinks, shifts are the labels of the cores
// as always: e_1 is below u, and it is added modulo u.

#include <stdint.h>

#include "core/fabric/tree.h"

// Shifts are counted modulo this: digits 1..l-1 are those of uplinks.
static inline uint32_t drb_shift_count(const struct drb_tree *t)
{
	return t->above[t->layers - 1];
}

// Digit m of e, 1 <= m < l, e < drb_shift_count().
static inline uint32_t drb_shift_digit(const struct drb_tree *t, uint32_t e, uint32_t m)
{
	return drb_div(e, &t->by_above[m - 1]) -
	       drb_div(e, &t->by_above[m]) * (m == 1 ? t->uplinks : t->arity);
}

// (h_m + e_m) mod d, or u.
static inline uint32_t drb_shifted(uint32_t def, uint32_t shift_digit, uint32_t uplinks)
{
	uint32_t sum = def + shift_digit;
	return sum >= uplinks ? sum - uplinks : sum;
}
