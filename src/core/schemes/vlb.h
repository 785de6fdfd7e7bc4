// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// vlb: Valiant load balancing: up to a random core switch and down again.

#include "drb/scheme.h"

DRB_RULE uint32_t drb_vlb_choose(const struct drb_decider *s, struct drb_loads loads,
				 struct drb_decision *d)
{
	(void)loads;
	return drb_scale32((uint32_t)(d->draw >> 32), s->choice.uplinks);
}

DRB_SCHEME(vlb) = {
	.abi = DRB_SCHEME_ABI,
	.name = "vlb",
	.help = "a uniformly random uplink",
	.colour = "#cc79a7",
	.symbol = "D",
	.needs = DRB_UNIFORM,
	.compares = DRB_COMPARES_NONE,
	.draw = DRB_DRAW_ANY,
	.unloaded = DRB_DRAW_ANY,
	.choose = drb_vlb_choose,
};
