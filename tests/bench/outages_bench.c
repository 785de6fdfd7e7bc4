// SPDX-License-Identifier: BSD-3-Clause
// CPU time in which a switch of layer 2 of F(3,8) gathers the known outages of its 16 neighbours.
// Each neighbour knows as many as a hello can carry. In the worst case all know different ones;
// mostly they agree. Prints one JSON object a line.
// When a fabric starts, each switch gathers ten times a second. Thus 320 switches on two CPUs have
// 0.6 ms for that and everything else.

#include <stdio.h>
#include <time.h>

#include "core/links/outages.h"
#include "core/math/random.h"

#define NEIGHBOURS 16
#define ROUNDS 2000

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void fill(struct drb_outages *o, const struct drb_tree *t, struct drb_rng *r)
{
	const uint32_t links = drb_tree_links(t) * (t->layers - 1);

	*o = (struct drb_outages){0};
	while (o->count < DRB_OUTAGES_MAX) {
		const uint32_t link = drb_tree_switches_total(t) + drb_rng_below(r, links);
		drb_outages_add(o, t, drb_outage_key(link, DRB_OUTAGE_DEAD), drb_rng_below(r, 8));
	}
}

static void bench(const char *what, const struct drb_tree *t, bool same)
{
	static struct drb_outages heard[NEIGHBOURS];
	struct drb_outage_sources s = {.tree = t, .layer = 2, .label = 5, .dead = 0x8001};
	struct drb_outages o;
	struct drb_rng r = drb_rng_seed(1, 0);
	uint64_t known = 0;

	for (uint32_t i = 0; i < NEIGHBOURS; i++) {
		if (i == 0 || !same)
			fill(&heard[i], t, &r);
		else
			heard[i] = heard[0];
		s.heard[i] = &heard[i];
	}
	const double start = cpu_seconds();
	for (int i = 0; i < ROUNDS; i++) {
		drb_outages_gather(&o, &s);
		known += o.count;
	}
	printf("{\"bench\":\"outages_gather\",\"neighbours\":\"%s\",\"known\":%.0f,\"us\":%.1f}\n",
	       what, (double)known / ROUNDS, (cpu_seconds() - start) / ROUNDS * 1e6);
}

int main(void)
{
	struct drb_tree t;

	if (drb_tree_init(&t, 3, 8) < 0)
		return 1;
	bench("differ", &t, false);
	bench("agree", &t, true);
	return 0;
}
