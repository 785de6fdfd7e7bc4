// SPDX-License-Identifier: BSD-3-Clause
#include "sim/models/growth.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static uint64_t links_of(const struct drb_tree *t)
{
	uint64_t links = 0;

	for (uint32_t m = 1; m <= t->layers; m++)
		links += (uint64_t)drb_tree_switches(t, m) *
			 (drb_tree_up_ports(t, m) + drb_tree_down_ports(t, m));
	return links;
}

uint64_t drb_growth_bytes(const struct drb_tree *t)
{
	return links_of(t) * sizeof(struct drb_growth_link);
}

int drb_growth_init(struct drb_growth *g, const struct drb_tree *t, uint32_t slots, double rho)
{
	*g = (struct drb_growth){.slots = slots,
				 .rho = rho,
				 .hosts = t->hosts,
				 .link_rho = fmin(1, drb_tree_uplink_load(t, rho)),
				 .links = links_of(t)};
	g->link = calloc(g->links, sizeof(*g->link));
	return g->link ? 0 : -ENOMEM;
}

void drb_growth_free(struct drb_growth *g)
{
	free(g->link);
	g->link = NULL;
}

static void look_at_queues(struct drb_growth *g, const struct drb_fabric *f, bool last)
{
	struct drb_growth_link *link = g->link;

	for (uint32_t m = 1; m <= f->tree.layers; m++) {
		const struct drb_layer *l = &f->layer[m];
		uint64_t queues = (uint64_t)l->switches * (l->up + l->down);
		for (uint64_t i = 0; i < queues; i++, link++) {
			uint32_t len = l->len[i];
			if (len == 0)
				link->before = UINT64_MAX;
			else if (last)
				link->after += len;
			else if (link->before != UINT64_MAX)
				link->before += len;
		}
	}
}

void drb_growth_slot(struct drb_growth *g, const struct drb_fabric *f, uint32_t slot,
		     uint64_t inside)
{
	uint32_t quarter = g->slots / 4;

	if (slot >= g->slots || slot < g->slots - 2 * quarter)
		return;
	bool last = slot >= g->slots - quarter;
	*(last ? &g->after : &g->before) += (double)inside;
	if ((slot - (g->slots - 2 * quarter)) % quarter % DRB_GROWTH_EVERY == 0)
		look_at_queues(g, f, last);
}

bool drb_growth_of_sum(const struct drb_growth *g)
{
	uint32_t quarter = g->slots / 4;

	return quarter && g->after > 1.1 * g->before &&
	       (g->after - g->before) / quarter > 0.002 * g->rho * g->hosts * quarter;
}

uint64_t drb_growth_of_links(const struct drb_growth *g)
{
	uint32_t quarter = g->slots / 4,
		 looks = (quarter + DRB_GROWTH_EVERY - 1) / DRB_GROWTH_EVERY;
	double root = sqrt(quarter), chance = 3.5 * root - (1 - g->link_rho) * quarter;
	double least = looks * fmax(chance, 0.75 * root);
	uint64_t growing = 0;

	for (uint64_t i = 0; i < g->links; i++) {
		const struct drb_growth_link *link = &g->link[i];
		growing += link->before != UINT64_MAX &&
			   (double)link->after > (double)link->before + least;
	}
	return growing;
}
