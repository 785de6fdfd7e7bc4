// SPDX-License-Identifier: BSD-3-Clause
#include "core/fabric/next_hop.h"

struct drb_hop drb_hop_at(const struct drb_tree *t, uint32_t layer, uint32_t label)
{
	bool core = layer == t->layers;
	uint32_t subtree = drb_div(label, &t->by_above[layer - 1]); // in layer 1 the divisor is 1

	return (struct drb_hop){
		.first = core ? 0 : subtree * t->pow[layer],
		.span = core ? t->hosts : t->pow[layer],
		.hosts = t->hosts,
		.arity = t->arity,
		.digit_mod = core ? 0 : t->arity,
		.uplinks = core         ? 2 * t->arity
			   : layer == 1 ? t->uplinks
					: t->arity,
		.by_place = t->by[layer - 1],
		.by_arity = t->by_arity,
	};
}
