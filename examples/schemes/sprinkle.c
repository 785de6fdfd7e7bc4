// SPDX-License-Identifier: BSD-3-Clause
// sprinkle: takes the least loaded of k random uplinks other than the default if its load is lower
// by more than T.
#include <drb/scheme.h>
#include <drb/threshold.h>

static const struct drb_scheme_param sprinkle_params[] = {
	{"k", "uplinks that it compares the default with", 1, 16, 3}, {0}};

static uint32_t sprinkle_choose(const struct drb_decider *s, struct drb_loads loads,
				struct drb_decision *d)
{
	uint32_t best = drb_other(s->choice.uplinks, d->def, (uint32_t)(d->draw >> 32));

	for (uint32_t i = 1; i < drb_param(&s->choice, 0); i++) {
		uint32_t bits = (uint32_t)(drb_mix64(d->draw + i) >> 32);
		uint32_t other = drb_other(s->choice.uplinks, d->def, bits);
		if (drb_load(loads, other) < drb_load(loads, best))
			best = other;
	}
	return drb_ttc(s->choice.margin, d->def, best, loads);
}

DRB_SCHEME(sprinkle) = {
	.abi = DRB_SCHEME_ABI,
	.name = "sprinkle",
	.help = "the least loaded of k random uplinks, if it is shorter than the default by more "
		"than T",
	.colour = "#117733",
	.symbol = "*",
	.needs = DRB_HAS_THRESHOLD | DRB_DEFAULT_UNLOADED | DRB_UNIFORM,
	.compares = DRB_COMPARES_ALL,
	.draw = DRB_DRAW_WORD,
	.unloaded = DRB_DRAW_NONE,
	.params = sprinkle_params,
	.choose = sprinkle_choose,
};
