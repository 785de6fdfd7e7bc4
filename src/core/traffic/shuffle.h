// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Random assignments without fixed points.

#include <stddef.h>
#include <stdint.h>

#include "core/math/random.h"

// Puts the images to[who[0..n)] (who NULL: of 0..n-1) in uniformly random order such that to[h] !=
// h. This is a Fisher-Yates shuffle from the top that starts again at the first h with to[h] = h.
// Entries above i are final, so failing early equals drawing the rest: every allowed order is
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

// Exchanges the images of random pairs, so that each of n images stays with its host for `slots`
// calls on average. order: a permutation of 0..n-1, which the call changes. A pair is left alone if
// one of them would get itself.
static inline void drb_exchange_some(struct drb_rng *rng, uint32_t to[], uint32_t order[],
				     uint32_t n, uint32_t slots)
{
	uint32_t pairs = n / 2 / slots + (drb_rng_below(rng, slots) < n / 2 % slots);

	for (uint32_t i = 0; i < 2 * pairs; i++) {
		uint32_t j = i + drb_rng_below(rng, n - i), host = order[j], image = to[host];
		order[j] = order[i];
		order[i] = host;
		uint32_t other = order[i - i % 2];
		if (i % 2 == 0 || image == other || to[other] == host)
			continue;
		to[host] = to[other];
		to[other] = image;
	}
}
