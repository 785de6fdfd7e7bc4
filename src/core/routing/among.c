// SPDX-License-Identifier: BSD-3-Clause
#include "core/routing/among.h"

uint32_t drb_among(const struct drb_decider *s, uint64_t usable, struct drb_loads loads,
		   struct drb_decision *d, drb_rule *rule)
{
	uint32_t port[DRB_USABLE_UPLINKS_MAX], load[DRB_USABLE_UPLINKS_MAX];
	uint32_t n = 0, def = UINT32_MAX;
	struct drb_decider among = *s;
	struct drb_decision packet = *d;

	if (s->choice.ops->needs & DRB_READS_FLOW) {
		uint32_t up = rule(s, loads, d);
		if (usable >> up & 1)
			return up;
	}
	for (uint32_t u = 0; u < s->choice.uplinks; u++) {
		if (!(usable >> u & 1))
			continue;
		if (u == d->def)
			def = n;
		port[n] = u;
		load[n++] = drb_load(loads, u);
	}
	if (n == 1)
		return port[0];
	packet.def = def == UINT32_MAX ? drb_scale32((uint32_t)drb_mix64(d->draw), n) : def;
	packet.flow = drb_mix64(d->flow);
	among.choice.uplinks = n;
	return port[rule(&among, (struct drb_loads){load}, &packet)];
}
