// SPDX-License-Identifier: BSD-3-Clause
// average: takes a random uplink instead of the default if the moving average of its load is lower
// by more than T.
#include <drb/scheme.h>

static size_t average_size(const struct drb_scheme_setup *setup)
{
	return setup->choice->uplinks * sizeof(double);
}

static void average_init(void *state, const struct drb_scheme_setup *setup)
{
	__builtin_memset(state, 0, average_size(setup)); // zero bytes are zero as doubles
}

static double averaged(const struct drb_decider *s, struct drb_loads loads, uint32_t uplink)
{
	double *mean = (double *)s->state + uplink;

	return *mean += (drb_load(loads, uplink) - *mean) * drb_param(&s->choice, 0);
}

static uint32_t average_choose(const struct drb_decider *s, struct drb_loads loads,
			       struct drb_decision *d)
{
	uint32_t other = drb_other(s->choice.uplinks, d->def, (uint32_t)(d->draw >> 32));
	double less = averaged(s, loads, d->def) - averaged(s, loads, other);

	return less > s->choice.margin - 1 ? other : d->def; // margin - 1 is T, rounded down
}

static uint32_t average_among(const struct drb_decider *s, uint64_t usable, struct drb_loads loads,
			      struct drb_decision *d)
{
	uint32_t best = drb_usable_or_lowest(usable, d->def);

	for (uint32_t u = 0; u < s->choice.uplinks; u++) {
		if (usable >> u & 1 && averaged(s, loads, u) < ((double *)s->state)[best])
			best = u;
	}
	return best;
}

DRB_SCHEME(average) = {
	.abi = DRB_SCHEME_ABI,
	.name = "average",
	.help = "a random uplink, if its average load is lower than the default's by more than T",
	.colour = "#332288",
	.symbol = "D",
	.needs = DRB_HAS_THRESHOLD | DRB_PACKETS_ONLY | DRB_UNIFORM,
	.compares = DRB_COMPARES_TWO,
	.draw = DRB_DRAW_OTHER,
	.unloaded = DRB_DRAW_OTHER,
	.params = (const struct drb_scheme_param[]){{"weight", "of the newest load", 0.001, 1,
						     0.25},
						    {0}},
	.state_size = average_size,
	.init = average_init,
	.choose = average_choose,
	.choose_among = average_among,
};
