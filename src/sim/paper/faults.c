// SPDX-License-Identifier: BSD-3-Clause
#include "sim/paper/faults.h"

#include <math.h>

#include "sim/models/links.h"
#include "sim/paper/points.h"
#include "sim/paper/study.h"

#define TREE paper_studied[0]
#define SLOTS 1200

const double paper_fault_share[PAPER_FAULT_SHARES] = {0, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1};
const double paper_fault_load[PAPER_FAULT_LOADS] = {0.3, 0.5};
const enum drb_scheme paper_fault_scheme[PAPER_FAULT_SCHEMES] = {DRB_SCHEME_DRB, DRB_SCHEME_MICRO,
								 DRB_SCHEME_DMODK, DRB_SCHEME_WALK};

static struct drb_fail fail_of(bool switches, uint32_t i)
{
	struct drb_fail fail = {0};
	struct drb_tree t;

	drb_tree_init(&t, TREE[0], TREE[1]);
	if (switches)
		fail.switches =
			(uint32_t)lround(paper_fault_share[i] * (double)drb_fail_switches(&t));
	else
		fail.links = (uint32_t)lround(paper_fault_share[i] * (double)drb_links_between(&t));
	return fail;
}

static void add_draws(struct paper *p, enum drb_scheme scheme, double rho, struct drb_fail fail)
{
	for (uint32_t draw = 0; draw < p->seeds; draw++) {
		struct paper_point *point = paper_add_packets(p, TREE, scheme, rho, "permutation");
		struct drb_packet_setup *s = &point->packet;
		point->study = PAPER_FAULTS;
		s->slots = p->quick ? SLOTS / 3 : SLOTS;
		s->stats = s->slots / 2;
		s->most_slots = 2 * s->slots;
		s->seed += draw;
		s->fail = fail;
	}
}

void paper_plan_faults(struct paper *p)
{
	for (size_t l = p->quick ? 1 : 0; l < PAPER_FAULT_LOADS; l++) {
		for (size_t s = 0; s < PAPER_FAULT_SCHEMES; s++) {
			add_draws(p, paper_fault_scheme[s], paper_fault_load[l], fail_of(false, 0));
			for (uint32_t i = 1; i < PAPER_FAULT_SHARES; i++) {
				if (p->quick && i % 2 == 0)
					continue;
				add_draws(p, paper_fault_scheme[s], paper_fault_load[l],
					  fail_of(false, i));
				add_draws(p, paper_fault_scheme[s], paper_fault_load[l],
					  fail_of(true, i));
			}
		}
	}
}

struct paper_fault paper_fault(const struct paper *p, enum drb_scheme scheme, uint32_t at,
			       bool switches, uint32_t i)
{
	struct drb_fail fail = fail_of(switches, i);
	struct paper_fault mean = {.dead = fail.links + fail.switches,
				   .share = paper_fault_share[i]};

	for (uint32_t k = 0; k < p->points; k++) {
		const struct paper_point *point = &p->point[k];
		const struct drb_packet_setup *s = &point->packet;
		if (point->kind != PAPER_PACKET || point->study != PAPER_FAULTS ||
		    s->scheme != scheme || s->rho != paper_fault_load[at] ||
		    s->fail.links != fail.links || s->fail.switches != fail.switches)
			continue;
		struct drb_packet_result r = paper_packet_result(point);
		mean.runs++;
		mean.growing += r.growing;
		sim_sample_add(&mean.of_latency, r.latency);
		sim_sample_add(&mean.of_tail, r.tail);
		sim_sample_add(&mean.of_lost, 100 * r.lost);
	}
	mean.latency = mean.of_latency.mean;
	mean.tail = mean.of_tail.mean;
	mean.lost = mean.of_lost.mean / 100;
	return mean;
}
