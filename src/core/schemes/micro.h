// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// micro: the power of two choices, without a default, as in DRILL(2,0) and in the paper's
// comparison.

#include "drb/scheme.h"

DRB_RULE uint32_t drb_micro_choose(const struct drb_decider *s, struct drb_loads loads,
				   struct drb_decision *d)
{
	return drb_two_random(s->choice.uplinks, loads, d->draw);
}

DRB_SCHEME(micro) = {
	.abi = DRB_SCHEME_ABI,
	.name = "micro",
	.help = "the less loaded of two random uplinks",
	.colour = "#d55e00",
	.symbol = "^",
	.needs = DRB_UNIFORM,
	.compares = DRB_COMPARES_TWO,
	.draw = DRB_DRAW_TWO,
	.unloaded = DRB_DRAW_ANY,
	.choose = drb_micro_choose,
};
