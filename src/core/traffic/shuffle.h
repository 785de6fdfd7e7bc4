// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Random assignments without fixed points.

#include <stddef.h>
#include <stdint.h>

#include "core/math/random.h"

// Puts the images to[who[0..n)] in uniformly random order such that to[h] != h (who NULL: of
// 0..n-1): a Fisher-Yates shuffle from the top, begun again at the first place that fails. Entries
// above i are final, so failing early is as good as drawing the rest: every allowed order is
// equally likely.
static inline void drb_shuffle_avoiding(struct drb_rng *rng, uint32_t to[], const uint32_t who[],
					uint32_t n)
{
	for (uint32_t i = n; i > 0;) {
		uint32_t j = drb_rng_below(rng, i--);
		uint32_t hi = who ? who[i] : i, hj = who ? who[j] : j;
		uint32_t x = to[hj];
		to[hj] = to[hi];
		to[hi] = x;
		if (x == hi)
			i = n;
	}
}
