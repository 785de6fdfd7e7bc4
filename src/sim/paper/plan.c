// SPDX-License-Identifier: BSD-3-Clause
#include "sim/paper/paper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/routing/rounds.h"

#include "common/cli/log.h"

const uint32_t paper_trees[2][2] = {{3, 24}, {4, 12}};
const uint32_t paper_studied[3][2] = {{3, 8}, {3, 24}, {4, 6}};

// Schemes of the paper's figures; a threshold of 0 is plain two-choice against the default.
static const struct {
	enum drb_scheme scheme;
	bool plain;
} compared[] = {{DRB_SCHEME_DRB, false},
		{DRB_SCHEME_DRB, true},
		{DRB_SCHEME_MICRO, false},
		{DRB_SCHEME_VLB, false},
		{DRB_SCHEME_DMODK, false}};

static const enum drb_scheme studied[] = {DRB_SCHEME_DRB,   DRB_SCHEME_MICRO,  DRB_SCHEME_DMODK,
					  DRB_SCHEME_LEAST, DRB_SCHEME_ROTATE, DRB_SCHEME_WALK};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct paper_point *add(struct paper *p, enum paper_kind kind)
{
	if (p->points == p->room) {
		p->room = p->room ? 2 * p->room : 256;
		p->point = realloc(p->point, p->room * sizeof(*p->point));
		if (!p->point)
			drb_die("not enough memory");
	}
	struct paper_point *point = &p->point[p->points++];
	*point = (struct paper_point){.kind = kind, .paper_t = true};
	return point;
}

static void add_flows(struct paper *p, const uint32_t tree[2])
{
	static const uint32_t few[] = {1, 2, 5, 10, 20};

	for (size_t s = 0; s < COUNT(compared); s++) {
		for (uint32_t i = 0; i < (p->quick ? COUNT(few) : 20); i++) {
			struct paper_point *point = add(p, PAPER_FLOW);
			struct drb_flow_setup *f = &point->flow;
			drb_tree_init(&f->tree, tree[0], tree[1]);
			f->scheme = compared[s].scheme;
			f->choices = 2;
			f->flows = p->quick ? few[i] : i + 1;
			f->threshold =
				compared[s].plain ? 0 : drb_threshold_flow(f->flows, f->tree.hosts);
			f->seed = p->common.seed;
			point->paper_t = !compared[s].plain;
			point->runs = p->quick ? 3 : 200;
		}
	}
}

struct paper_point *paper_add_packets(struct paper *p, const uint32_t tree[2],
				      enum drb_scheme scheme, double rho, const char *traffic)
{
	struct paper_point *point = add(p, PAPER_PACKET);
	struct drb_packet_setup *s = &point->packet;

	drb_tree_init(&s->tree, tree[0], tree[1]);
	drb_traffic_parse(traffic, &s->traffic);
	s->scheme = scheme;
	s->choices = 2;
	s->tau = DRB_WALK_TAU;
	s->rho = rho;
	s->threshold = drb_threshold_packet(rho);
	s->slots = p->quick ? 200 : 2000;
	s->stats = p->quick ? 50 : 500;
	s->seed = p->common.seed;
	return point;
}

static void add_latencies(struct paper *p, const uint32_t tree[2])
{
	static const double few[] = {0.6, 0.75, 0.9, 0.96};

	for (size_t s = 0; s < COUNT(compared); s++) {
		for (uint32_t i = 0; i < (p->quick ? COUNT(few) : 14); i++) {
			double rho = p->quick ? few[i] : (60 + 3 * i) / 100.0;
			struct paper_point *point =
				paper_add_packets(p, tree, compared[s].scheme, rho, "permutation");
			if (compared[s].plain)
				point->packet.threshold = 0;
			point->paper_t = !compared[s].plain;
		}
	}
}

// Runs of `slots` slots, up to load 0.9 of `few`: there queues settle within 400 slots, and where
// many hosts are averaged over a few hundred slots are enough.
static void add_study(struct paper *p, const uint32_t tree[2], const char *const traffic[],
		      size_t traffics, const double rho[], size_t rhos, uint32_t few, uint32_t many)
{
	for (size_t t = 0; t < traffics; t++) {
		for (size_t s = 0; s < COUNT(studied); s++) {
			for (size_t i = 0; i < rhos; i++) {
				struct paper_point *point =
					paper_add_packets(p, tree, studied[s], rho[i], traffic[t]);
				uint32_t slots = rho[i] > 0.9 ? many : few;
				point->study = PAPER_PERSISTENT;
				point->packet.slots = slots;
				point->packet.stats = slots / 2;
				// Unstable runs would drain for ten times as long.
				point->packet.most_slots = 2 * slots;
				point->packet.give_up = true;
			}
		}
	}
}

static void add_studies(struct paper *p)
{
	static const char *const all[] = {"permutation", "fixed",    "mixed",   "random",
					  "transpose",   "reversal", "tornado", "hotspot:512"};
	static const char *const some[] = {"permutation", "fixed", "mixed", "reversal"};
	static const double rho[] = {0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99};
	static const double few[] = {0.5, 0.7, 0.9}, some_rho[] = {0.7, 0.8, 0.9, 0.99};

	if (p->quick) {
		add_study(p, paper_studied[0], all, COUNT(all), few, COUNT(few), 800, 800);
		return;
	}
	add_study(p, paper_studied[0], all, COUNT(all), rho, COUNT(rho), 6000, 6000);
	add_study(p, paper_studied[1], some, COUNT(some), some_rho, COUNT(some_rho), 1000, 1500);
	add_study(p, paper_studied[2], some, COUNT(some), rho, COUNT(rho), 3000, 3000);
}

static void add_chains(struct paper *p)
{
	static const double lambda[] = {0.5, 0.9, 0.95}, threshold[] = {0, 1, 2, 3, 5};

	for (size_t l = 0; l < COUNT(lambda); l++) {
		for (size_t t = 0; t < COUNT(threshold); t++) {
			add(p, PAPER_CTMC)->ctmc = (struct drb_ctmc_setup){
				.queues = 1000,
				.lambda = lambda[l],
				.threshold = threshold[t],
				.warm_up = p->quick ? 300 : 1000,
				.time = p->quick ? 700 : 5000,
				.seed = p->common.seed,
			};
		}
	}
}

void paper_plan(struct paper *p)
{
	add_studies(p);
	paper_plan_faults(p);
	add_chains(p);
	for (size_t i = 0; i < COUNT(paper_trees); i++) {
		add_flows(p, paper_trees[i]);
		add_latencies(p, paper_trees[i]);
	}
}

const char *paper_label(const struct paper_point *point)
{
	enum drb_scheme scheme =
		point->kind == PAPER_FLOW ? point->flow.scheme : point->packet.scheme;

	return scheme == DRB_SCHEME_DRB && !point->paper_t ? "drb T=0" : drb_scheme_name(scheme);
}

static bool is_tree(const struct drb_tree *t, const uint32_t tree[2])
{
	return t->layers == tree[0] && t->arity == tree[1];
}

const struct paper_point *paper_find_packet(const struct paper *p, enum paper_study study,
					    const uint32_t tree[2], const char *traffic,
					    const char *label, double rho)
{
	char name[DRB_TRAFFIC_NAME_MAX];

	for (uint32_t i = 0; i < p->points; i++) {
		const struct paper_point *point = &p->point[i];
		if (point->kind != PAPER_PACKET || point->study != study ||
		    !is_tree(&point->packet.tree, tree) || fabs(point->packet.rho - rho) > 1e-9 ||
		    strcmp(paper_label(point), label) != 0)
			continue;
		drb_traffic_format(point->packet.traffic, name);
		if (strcmp(name, traffic) == 0)
			return point;
	}
	return NULL;
}

const struct paper_point *paper_find_flow(const struct paper *p, const uint32_t tree[2],
					  const char *label, uint32_t flows)
{
	for (uint32_t i = 0; i < p->points; i++) {
		const struct paper_point *point = &p->point[i];
		if (point->kind == PAPER_FLOW && is_tree(&point->flow.tree, tree) &&
		    point->flow.flows == flows && strcmp(paper_label(point), label) == 0)
			return point;
	}
	return NULL;
}

double paper_breaks_at(const struct paper *p, const uint32_t tree[2], struct drb_traffic_kind kind,
		       enum drb_scheme scheme, double *largest)
{
	double at = NAN;

	*largest = NAN;
	for (uint32_t i = 0; i < p->points; i++) {
		const struct paper_point *point = &p->point[i];
		const struct drb_packet_setup *s = &point->packet;
		if (point->kind != PAPER_PACKET || point->study != PAPER_PERSISTENT ||
		    !is_tree(&s->tree, tree) || s->scheme != scheme ||
		    s->traffic.pattern != kind.pattern || s->traffic.k != kind.k)
			continue;
		*largest = fmax(s->rho, isnan(*largest) ? 0 : *largest);
		if (paper_packet_result(point).growing)
			at = isnan(at) ? s->rho : fmin(at, s->rho);
	}
	return at;
}
