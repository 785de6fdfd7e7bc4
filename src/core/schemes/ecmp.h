// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// ecmp: equal-cost multi-path: all packets of a flow take one uplink. Each switch salts its hash.
// With equal hashes the second switch upwards would have no choice left.

#include "drb/scheme.h"

DRB_RULE uint32_t drb_ecmp_choose(const struct drb_decider *s, struct drb_loads loads,
				  struct drb_decision *d)
{
	(void)loads;
	return drb_scale32(drb_salted32(d->flow, s->choice.salt), s->choice.uplinks);
}

DRB_SCHEME(ecmp) = {
	.abi = DRB_SCHEME_ABI,
	.name = "ecmp",
	.help = "a hash of the flow, salted per switch",
	.colour = "#a6761d",
	.symbol = "v",
	.needs = DRB_READS_FLOW | DRB_UNIFORM,
	.compares = DRB_COMPARES_NONE,
	.draw = DRB_DRAW_NONE,
	.unloaded = DRB_DRAW_NONE,
	.choose = drb_ecmp_choose,
};
