// SPDX-License-Identifier: BSD-3-Clause
#include "core/routing/candidates.h"

#include "core/routing/choice.h"

// The least loaded of ports 0..n-1 except port skip (n: no exception), uniformly random among ties.
static uint32_t least_but(uint32_t n, uint32_t skip, const uint32_t *load, uint32_t bits)
{
	uint32_t low = UINT32_MAX, ties = 0;

	for (uint32_t p = 0; p < n; p++) {
		if (p == skip || load[p] > low)
			continue;
		ties = load[p] < low ? 1 : ties + 1;
		low = load[p];
	}
	uint32_t pick = drb_scale32(bits, ties);
	for (uint32_t p = 0; p < n; p++) {
		if (p != skip && load[p] == low && pick-- == 0)
			return p;
	}
	return 0; // not reached: ties >= 1
}

uint32_t drb_least_loaded(uint32_t uplinks, const uint32_t *load, uint64_t draw)
{
	return least_but(uplinks, uplinks, load, (uint32_t)(draw >> 32));
}

uint32_t drb_candidate_of_many(uint32_t uplinks, uint32_t choices, uint32_t def,
			       const uint32_t *load, uint64_t draw)
{
	uint32_t others = uplinks - 1, k = choices - 1;
	uint32_t taken[DRB_CHOICES_MAX], best = 0, ties = 0;

	if (k >= others)
		return least_but(uplinks, def, load, (uint32_t)(draw >> 32));
	// Floyd's sampling makes every k-subset of the others equally likely. Step j draws from [0,
	// j] and takes j itself if the drawn value is taken already.
	for (uint32_t step = 0; step < k; step++) {
		uint32_t j = others - k + step;
		uint64_t bits = drb_mix64(draw + step);
		uint32_t r = drb_scale32((uint32_t)(bits >> 32), j + 1);
		for (uint32_t i = 0; i < step; i++) {
			if (taken[i] == r) {
				r = j;
				break;
			}
		}
		taken[step] = r;
		uint32_t port = r + (r >= def);
		if (ties == 0 || load[port] < load[best]) {
			best = port;
			ties = 1;
		} else if (load[port] == load[best] && drb_scale32((uint32_t)bits, ++ties) == 0) {
			best = port;
		}
	}
	return best;
}
