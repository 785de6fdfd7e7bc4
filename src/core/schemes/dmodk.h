// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// dmodk: D-mod-k, the paper's deterministic routing. Its uplink is the default of every other
// scheme.

#include "drb/scheme.h"

DRB_RULE uint32_t drb_dmodk_choose(const struct drb_decider *s, struct drb_loads loads,
				   struct drb_decision *d)
{
	(void)s, (void)loads;
	return d->def;
}

DRB_SCHEME(dmodk) = {
	.abi = DRB_SCHEME_ABI,
	.name = "dmodk",
	.help = "always the D-mod-k default",
	.colour = "#808080",
	.symbol = "s",
	.needs = DRB_DEFAULT_UNLOADED,
	.compares = DRB_COMPARES_NONE,
	.draw = DRB_DRAW_NONE,
	.unloaded = DRB_DRAW_NONE,
	.choose = drb_dmodk_choose,
};
