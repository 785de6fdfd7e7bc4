// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// drb: Dynamic Randomized load-Balancing, Algorithm 1 of Wang et al., arXiv:1708.09135
// (include/drb/threshold.h). Beyond the paper, the candidate is the least loaded of several random
// uplinks if `choices` is above 2.

#include "core/routing/candidates.h"

#include "drb/threshold.h"

DRB_RULE uint32_t drb_drb_choose(const struct drb_decider *s, struct drb_loads loads,
				 struct drb_decision *d)
{
	if (!loads.at)
		return d->def; // the result of T if all queues are empty
	uint32_t candidate = drb_candidate(&s->choice, loads, d->def, d->draw);

	return drb_ttc(s->choice.margin, d->def, candidate, loads);
}

DRB_SCHEME(drb) = {
	.abi = DRB_SCHEME_ABI,
	.name = "drb",
	.help = "threshold-based two-choice: the D-mod-k default or a random uplink (the paper's)",
	.colour = "#0072b2",
	.symbol = "o",
	.needs = DRB_HAS_THRESHOLD | DRB_DEFAULT_UNLOADED | DRB_UNIFORM,
	.compares = DRB_COMPARES_TWO,
	.draw = DRB_DRAW_OTHER,
	.unloaded = DRB_DRAW_NONE,
	.choose = drb_drb_choose,
};
