// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Beyond the paper, scheme rotate: shifted defaults. A packet takes as its default uplink at layer
// m not the digit h_m of its destination but (h_m + e_m) mod d, e_m being digit m of a shift e:
// the number of the current slot, on a clock all switches share. Threshold-based two-choice goes
// on top as always. All destinations shifted by the same e still have disjoint down-paths; a flow
// that persists no longer fills one path.

#include <stdint.h>

#include "core/fabric/tree.h"

// Shifts are counted modulo this: digits 1..l-1 are those of uplinks.
static inline uint32_t drb_shift_count(const struct drb_tree *t)
{
	return t->pow[t->layers - 1];
}

// Digit m of e, 1 <= m < l, e < drb_shift_count().
static inline uint32_t drb_shift_digit(const struct drb_tree *t, uint32_t e, uint32_t m)
{
	uint32_t q = drb_div(e, &t->by[m - 1]);
	return q - drb_div(q, &t->by_arity) * t->arity;
}

// (h_m + e_m) mod d.
static inline uint32_t drb_shifted(uint32_t digit, uint32_t shift_digit, uint32_t arity)
{
	uint32_t sum = digit + shift_digit;
	return sum >= arity ? sum - arity : sum;
}
