// SPDX-License-Identifier: BSD-3-Clause
#include "sim/models/flow_worst.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "core/math/random.h"

static uint32_t on_uplink(const struct drb_tree *t, uint32_t m)
{
	uint32_t below = t->pow[m], to = t->hosts / t->pow[m] - 1;

	return below < to ? below : to;
}

static uint32_t worst_layer(const struct drb_tree *t)
{
	uint32_t worst = 1;

	for (uint32_t m = 2; m < t->layers; m++)
		worst = on_uplink(t, m) > on_uplink(t, worst) ? m : worst;
	return worst;
}

uint32_t drb_flow_worst(const struct drb_tree *t)
{
	return on_uplink(t, worst_layer(t));
}

static void shuffle(struct drb_rng *rng, struct drb_flow flow[], uint32_t count)
{
	for (uint32_t i = count; i-- > 1;) {
		uint32_t j = drb_rng_below(rng, i + 1);
		struct drb_flow other = flow[j];
		flow[j] = flow[i];
		flow[i] = other;
	}
}

// Adds all other pairs at random. No host sends to itself.
static void fill_rest(const struct drb_tree *t, struct drb_rng *rng, struct drb_flow flow[],
		      const bool taken[])
{
	uint32_t from = drb_flow_worst(t), rest = from;

	for (uint32_t h = 0; h < t->hosts; h++) {
		if (!taken[h])
			flow[rest++].dst = h;
	}
	shuffle(rng, flow + from, t->hosts - from);
	for (uint32_t i = from; i < t->hosts; i++)
		flow[i].src = i;
	for (uint32_t i = from; i < t->hosts; i++) {
		uint32_t j = i + 1 < t->hosts ? i + 1 : from;
		if (flow[i].dst == i) {
			flow[i].dst = flow[j].dst;
			flow[j].dst = i;
		}
	}
}

// Hosts 0 .. d^m - 1 are below switch 0 of layer m. They send to hosts whose m lowest digits are 0.
static void worst_fill(const struct drb_tree *t, struct drb_rng *rng, struct drb_flow flow[],
		       bool taken[])
{
	uint32_t apart = t->pow[worst_layer(t)];

	for (uint32_t i = 0; i < drb_flow_worst(t); i++) {
		flow[i] = (struct drb_flow){.src = i, .dst = (i + 1) * apart};
		taken[(i + 1) * apart] = true;
	}
	fill_rest(t, rng, flow, taken);
	shuffle(rng, flow, t->hosts);
}

int drb_flow_draw_worst(const struct drb_flow_setup *setup, uint32_t run,
			struct drb_flow_work *work)
{
	const struct drb_tree *t = &setup->tree;
	struct drb_rng rng = drb_rng_seed(setup->seed, 2 * (uint64_t)run);
	bool *taken = calloc(t->hosts, sizeof(*taken));

	if (!taken)
		return -ENOMEM;
	worst_fill(t, &rng, drb_flow_list(work), taken);
	free(taken);
	return 0;
}
