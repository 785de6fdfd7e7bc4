// SPDX-License-Identifier: BSD-3-Clause
#include "sim/flows/gray.h"

#include <errno.h>
#include <stdlib.h>

#include "sim/models/links.h"

struct drawing {
	struct drb_gray_links *links;
	struct drb_fabric *fabric;
};

static void add(void *context, uint64_t number)
{
	const struct drawing *d = context;
	struct drb_end low = drb_link_numbered(&d->fabric->tree, number);
	struct drb_end high = drb_tree_up_peer(&d->fabric->tree, low.layer, low.label, low.port);
	struct drb_layer *below = &d->fabric->layer[low.layer], *above = below + 1;
	struct drb_gray_end *end = d->links->end + d->links->count;

	end[0] = (struct drb_gray_end){&above->from_below,
				       (uint64_t)high.label * above->down + high.port};
	end[1] = (struct drb_gray_end){&below->from_above,
				       (uint64_t)low.label * below->up + low.port};
	d->links->count += 2;
}

int drb_gray_make(struct drb_gray_links *links, struct drb_fabric *f, struct drb_gray gray,
		  uint64_t seed)
{
	struct drawing d = {links, f};
	struct drb_rng rng = drb_rng_seed(seed, 6);

	*links = (struct drb_gray_links){.slot = gray.slot};
	if (gray.links == 0)
		return 0;
	if (gray.links > drb_links_between(&f->tree))
		return -ERANGE;
	links->end = calloc(2 * (size_t)gray.links, sizeof(*links->end));
	if (!links->end)
		return -ENOMEM;
	drb_draw_numbers(&rng, drb_links_between(&f->tree), gray.links, add, &d);
	return 0;
}

void drb_gray_free(struct drb_gray_links *links)
{
	free(links->end);
	*links = (struct drb_gray_links){0};
}

uint64_t drb_gray_take(const struct drb_gray_links *links, uint32_t i, uint32_t slot)
{
	uint64_t *at = links->end[i].line->next + links->end[i].link, word = *at;

	if (slot < links->slot)
		return DRB_NO_PACKET;
	*at = DRB_NO_PACKET;
	return word;
}
