// SPDX-License-Identifier: BSD-3-Clause
#include "sim/models/links.h"

uint64_t drb_links_between(const struct drb_tree *t)
{
	return (uint64_t)drb_tree_links(t) * (t->layers - 1);
}

struct drb_end drb_link_numbered(const struct drb_tree *t, uint64_t number)
{
	uint32_t each = drb_tree_links(t), layer = 1 + (uint32_t)(number / each);
	uint32_t rest = (uint32_t)(number % each), ups = drb_tree_up_ports(t, layer);

	return (struct drb_end){
		.layer = layer, .label = rest / ups, .port = rest % ups, .up = true};
}

uint64_t drb_link_number(const struct drb_tree *t, const struct drb_end *low)
{
	return (uint64_t)(low->layer - 1) * drb_tree_links(t) +
	       (uint64_t)low->label * drb_tree_up_ports(t, low->layer) + low->port;
}

void drb_draw_numbers(struct drb_rng *rng, uint64_t all, uint32_t count,
		      void (*found)(void *context, uint64_t number), void *context)
{
	for (uint64_t i = 0; i < all && count > 0; i++) {
		if (drb_rng_unit(rng) * (double)(all - i) < count) {
			found(context, i);
			count--;
		}
	}
}
