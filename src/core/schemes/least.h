// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// least: joins the shortest of all queues, at random among ties.

#include "core/routing/candidates.h"

DRB_RULE uint32_t drb_least_choose(const struct drb_decider *s, struct drb_loads loads,
				   struct drb_decision *d)
{
	if (!loads.at)
		return drb_scale32((uint32_t)(d->draw >> 32), s->choice.uplinks);
	return drb_least_loaded(s->choice.uplinks, loads.at, d->draw);
}

DRB_SCHEME(least) = {
	.abi = DRB_SCHEME_ABI,
	.name = "least",
	.help = "the least loaded uplink, random among ties",
	.colour = "#e69f00",
	.symbol = "p",
	.needs = DRB_UNIFORM,
	.compares = DRB_COMPARES_ALL,
	.draw = DRB_DRAW_WORD,
	.unloaded = DRB_DRAW_ANY,
	.choose = drb_least_choose,
};
