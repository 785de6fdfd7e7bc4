// SPDX-License-Identifier: BSD-3-Clause
#include "sim/models/bins.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/math/random.h"

#define EACH_MAX 200 // balls for each bin, so that the fullest bin fits into a byte easily

// Among equally loaded bins, a ball takes the one drawn first. Counters are bytes, so that they fit
// into the cache. Returns the load of the fullest bin.
static uint8_t throw_all(const struct drb_bins_setup *s, struct drb_rng *rng, uint8_t load[])
{
	uint64_t balls = (uint64_t)s->bins * s->each;
	uint8_t most = 0;

	memset(load, 0, s->bins);
	for (uint64_t ball = 0; ball < balls; ball++) {
		uint32_t bin = drb_rng_below(rng, s->bins);
		for (uint32_t i = 1; i < s->choices; i++) {
			uint32_t other = drb_rng_below(rng, s->bins);
			bin = load[other] < load[bin] ? other : bin;
		}
		load[bin]++;
		most = load[bin] > most ? load[bin] : most;
	}
	return most;
}

int drb_bins_run(const struct drb_bins_setup *setup, double fullest[DRB_BINS_RUNS])
{
	if (setup->bins == 0 || setup->choices == 0 || setup->each > EACH_MAX)
		return -EINVAL;
	uint8_t *load = malloc(setup->bins);
	if (!load)
		return -ENOMEM;
	for (uint32_t run = 0; run < DRB_BINS_RUNS; run++) {
		struct drb_rng rng = drb_rng_seed(setup->seed, run);
		fullest[run] = throw_all(setup, &rng, load);
	}
	free(load);
	return 0;
}
