// SPDX-License-Identifier: BSD-3-Clause
#include "sim/models/slow.h"

#include <errno.h>
#include <stdlib.h>

#include "sim/models/links.h"

static uint32_t switch_ports(const struct drb_tree *t, uint32_t layer)
{
	return drb_tree_up_ports(t, layer) + drb_tree_down_ports(t, layer);
}

static uint64_t queues_of(const struct drb_tree *t, uint32_t layer)
{
	return (uint64_t)drb_tree_switches(t, layer) * switch_ports(t, layer);
}

uint64_t drb_slow_bytes(const struct drb_tree *t)
{
	uint64_t queues = 0;

	for (uint32_t m = 1; m <= t->layers; m++)
		queues += queues_of(t, m);
	return queues * sizeof(struct drb_pace);
}

struct slowing {
	struct drb_slow_links *links;
	const struct drb_tree *tree;
	uint32_t slots;
};

struct drb_pace *drb_slow_pace(const struct drb_slow_links *links, const struct drb_tree *t,
			       struct drb_end end)
{
	uint32_t ups = drb_tree_up_ports(t, end.layer);

	return links->of[end.layer] + (uint64_t)end.label * switch_ports(t, end.layer) +
	       (end.up ? end.port : ups + end.port);
}

static void slow_down(void *context, uint64_t number)
{
	const struct slowing *s = context;
	struct drb_end lower = drb_link_numbered(s->tree, number);
	struct drb_end upper = drb_tree_up_peer(s->tree, lower.layer, lower.label, lower.port);

	drb_slow_pace(s->links, s->tree, lower)->slots = s->slots;
	drb_slow_pace(s->links, s->tree, upper)->slots = s->slots;
}

int drb_slow_make_even(struct drb_slow_links *links, const struct drb_tree *t)
{
	for (uint32_t m = 1; m <= t->layers && !links->of[m]; m++) {
		uint64_t queues = queues_of(t, m);
		links->of[m] = malloc(queues * sizeof(*links->of[m]));
		if (!links->of[m])
			return -ENOMEM;
		for (uint64_t i = 0; i < queues; i++)
			links->of[m][i] = (struct drb_pace){1, DRB_LINK_IDLE};
	}
	return 0;
}

int drb_slow_make(struct drb_slow_links *links, const struct drb_tree *t, struct drb_slow slow,
		  uint64_t seed)
{
	struct slowing s = {links, t, slow.slots};
	struct drb_rng rng = drb_rng_seed(seed, 4);

	*links = (struct drb_slow_links){{0}};
	if (slow.links == 0)
		return 0;
	if (slow.links > drb_links_between(t) || slow.slots < 1 || slow.slots > DRB_SLOW_MAX)
		return -ERANGE;
	if (drb_slow_make_even(links, t) < 0)
		return -ENOMEM;
	drb_draw_numbers(&rng, drb_links_between(t), slow.links, slow_down, &s);
	return 0;
}

int drb_slow_make_layers(struct drb_slow_links *links, const struct drb_tree *t,
			 const struct drb_paces *pace)
{
	if (drb_pace_most(pace, t->layers) == 1)
		return 0;
	if (drb_slow_make_even(links, t) < 0)
		return -ENOMEM;
	for (uint32_t m = 1; m <= t->layers; m++) {
		const uint32_t ports = switch_ports(t, m), ups = drb_tree_up_ports(t, m);
		for (uint64_t i = 0; i < queues_of(t, m); i++)
			links->of[m][i].slots = drb_pace_of(pace, i % ports < ups ? m + 1 : m);
	}
	return 0;
}

void drb_slow_free(struct drb_slow_links *links)
{
	for (uint32_t m = 0; m <= DRB_LAYERS_MAX; m++)
		free(links->of[m]);
	*links = (struct drb_slow_links){{0}};
}
