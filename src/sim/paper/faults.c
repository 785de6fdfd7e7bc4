// SPDX-License-Identifier: BSD-3-Clause
#include "sim/paper/faults.h"

#include <math.h>

#include "sim/models/links.h"
#include "sim/paper/points.h"
#include "sim/paper/study.h"

#define TREE paper_studied[0]
#define SLOTS 1200

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const double shares[] = {0, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1}, loads[] = {0.3, 0.5};
static const enum drb_scheme schemes[] = {DRB_SCHEME_DRB, DRB_SCHEME_MICRO, DRB_SCHEME_DMODK,
					  DRB_SCHEME_WALK};

// A share of the links between switches, or of the switches above layer 1.
struct dead {
	bool switches;
	double share;
};

static struct drb_fail fail_of(struct dead dead)
{
	struct drb_tree t;

	drb_tree_init(&t, TREE[0], TREE[1]);
	if (dead.switches)
		return (struct drb_fail){
			.switches = (uint32_t)lround(dead.share * (double)drb_fail_switches(&t))};
	return (struct drb_fail){
		.links = (uint32_t)lround(dead.share * (double)drb_links_between(&t))};
}

static void add_draws(struct paper *p, enum drb_scheme scheme, double rho, struct dead dead)
{
	for (uint32_t draw = 0; draw < p->seeds; draw++) {
		struct paper_point *point = paper_add_packets(p, TREE, scheme, rho, "permutation");
		struct drb_packet_setup *s = &point->packet;
		point->study = PAPER_FAULTS;
		s->slots = p->quick ? SLOTS / 3 : SLOTS;
		s->stats = s->slots / 2;
		s->most_slots = 2 * s->slots;
		s->seed += draw;
		s->fail = fail_of(dead);
		point->dead = dead.share;
	}
}

void paper_plan_faults(struct paper *p)
{
	for (size_t l = p->quick ? 1 : 0; l < COUNT(loads); l++) {
		for (size_t s = 0; s < COUNT(schemes); s++) {
			add_draws(p, schemes[s], loads[l], (struct dead){false, 0});
			for (uint32_t i = 1; i < COUNT(shares); i++) {
				if (p->quick && i % 2 == 0)
					continue;
				add_draws(p, schemes[s], loads[l], (struct dead){false, shares[i]});
				add_draws(p, schemes[s], loads[l], (struct dead){true, shares[i]});
			}
		}
	}
}
