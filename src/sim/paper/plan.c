// SPDX-License-Identifier: BSD-3-Clause
#include "sim/paper/plan.h"

#include "sim/paper/faults.h"
#include "sim/paper/points.h"
#include "sim/paper/study.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

// Schemes of the paper's figures, its own first; a threshold of 0 is plain two-choice against the
// default.
static const struct line {
	enum drb_scheme scheme;
	bool plain;
} lines[] = {{DRB_SCHEME_DRB, false},
	     {DRB_SCHEME_DRB, true},
	     {DRB_SCHEME_MICRO, false},
	     {DRB_SCHEME_VLB, false},
	     {DRB_SCHEME_DMODK, false}};

#define CHAIN_QUEUES 1000 // of all chains but those that tell what fewer queues do

static const uint32_t few_flows[] = {1, 2, 5, 10, 20};

static struct paper_point *add_flow(struct paper *p, const uint32_t tree[2], struct line line,
				    uint32_t flows)
{
	struct paper_point *point = paper_add(p, PAPER_FLOW);
	struct drb_flow_setup *f = &point->flow;

	drb_tree_init(&f->tree, tree[0], tree[1]);
	f->scheme = line.scheme;
	f->choices = 2;
	f->flows = flows;
	f->threshold = line.plain ? 0 : drb_threshold_flow(flows, f->tree.hosts);
	f->seed = p->common.seed;
	point->paper_t = !line.plain;
	point->runs = p->quick ? 3 : 200;
	return point;
}

static void add_flows(struct paper *p, const uint32_t tree[2])
{
	for (size_t s = 0; s < COUNT(lines); s++) {
		for (uint32_t i = 0; i < (p->quick ? COUNT(few_flows) : 20); i++)
			add_flow(p, tree, lines[s], p->quick ? few_flows[i] : i + 1);
	}
}

// What who sees all links would do, which takes long, and D-mod-k's worst permutation.
static void add_global_flows(struct paper *p, const uint32_t tree[2])
{
	static const struct line none = {DRB_SCHEME_DMODK, true};
	struct paper_point *point;

	for (size_t i = 0; i < COUNT(few_flows); i++) {
		point = add_flow(p, tree, none, few_flows[i]);
		point->paths = PAPER_BY_PATH;
		point->runs = p->quick ? 3 : 20;
		point = add_flow(p, tree, none, few_flows[i]);
		point->paths = PAPER_OPTIMAL;
		point->runs = 1; // exact
	}
	for (size_t s = 0; s < COUNT(lines); s++) {
		point = add_flow(p, tree, lines[s], 1);
		point->worst = true;
		point->runs = p->quick ? 3 : 20;
	}
}

static void add_runs(struct paper *p, const uint32_t tree[2], struct line line, double rho)
{
	// Nothing is judged by packets of the quick plan.
	const uint32_t seeds = p->quick ? p->seeds : p->own_seeds;

	for (uint32_t seed = 0; seed < seeds; seed++) {
		struct paper_point *point =
			paper_add_packets(p, tree, line.scheme, rho, "permutation");
		if (line.plain)
			point->packet.threshold = 0;
		point->packet.seed += seed;
		point->paper_t = !line.plain;
	}
}

static void add_latencies(struct paper *p, const uint32_t tree[2])
{
	// Of the paper's loads in percent: 60, 63, ..., 99.
	static const uint32_t few[] = {60, 90, 96}, all = 14;

	for (size_t s = 0; s < COUNT(lines); s++) {
		for (uint32_t i = 0; i < (p->quick ? COUNT(few) : all); i++)
			add_runs(p, tree, lines[s], (p->quick ? few[i] : 60 + 3 * i) / 100.0);
	}
}

// Fewer queues are simulated for longer: as many arrivals.
static void add_chain(struct paper *p, uint32_t queues, double lambda, double threshold)
{
	const double longer = (double)CHAIN_QUEUES / queues;

	for (uint32_t seed = 0; seed < p->own_seeds; seed++) {
		paper_add(p, PAPER_CTMC)->ctmc = (struct drb_ctmc_setup){
			.queues = queues,
			.lambda = lambda,
			.threshold = threshold,
			.warm_up = p->quick ? 300 : 1000,
			.time = longer * (p->quick ? 700 : 5000),
			.seed = p->common.seed + seed,
		};
	}
}

static void add_chains(struct paper *p)
{
	static const double lambda[] = {0.5, 0.9, 0.95}, threshold[] = {0, 1, 2, 3, 5};

	for (size_t l = 0; l < COUNT(lambda); l++) {
		for (size_t t = 0; t < COUNT(threshold); t++)
			add_chain(p, CHAIN_QUEUES, lambda[l], threshold[t]);
	}
	for (size_t t = 0; t < COUNT(threshold); t++) {
		add_chain(p, 30, 0.9, threshold[t]);
		add_chain(p, 10, 0.9, threshold[t]);
	}
}

// Uplinks of three layers, at T = 0 and the paper's T(rho).
static void add_layers(struct paper *p)
{
	static const double lambda[] = {0.5, 0.9, 0.95};

	for (size_t l = 0; l < 2 * (p->quick ? 2 : COUNT(lambda)); l++) {
		for (uint32_t seed = 0; seed < p->own_seeds; seed++) {
			paper_add(p, PAPER_CTMC_LAYERS)->layers = (struct drb_ctmc_layers_setup){
				.layers = 4,
				.arity = p->quick ? 4 : 6,
				.lambda = lambda[l / 2],
				.threshold = l % 2 ? drb_threshold_packet(lambda[l / 2]) : 0,
				.warm_up = p->quick ? 200 : 500,
				.time = p->quick ? 600 : 2000,
				.seed = p->common.seed + seed,
			};
		}
	}
}

// From empty and from 10 packets in each queue, more and more of them.
static void add_transients(struct paper *p)
{
	static const uint32_t queues[] = {100, 1000, 10000, 100000};

	for (size_t i = 0; i < 2 * COUNT(queues); i++) {
		for (uint32_t seed = 0; seed < p->own_seeds; seed++) {
			if (p->quick && i / 2 == COUNT(queues) - 1)
				continue;
			paper_add(p, PAPER_TRANSIENT)->transient = (struct drb_transient_setup){
				.queues = queues[i / 2],
				.lambda = 0.9,
				.threshold = (uint32_t)drb_threshold_packet(0.9),
				.start = i % 2 ? 10 : 0,
				.time = 10,
				.repeats = 4,
				.seed = p->common.seed + seed,
			};
		}
	}
}

static void add_bins(struct paper *p, uint32_t bins, uint32_t each, uint32_t choices)
{
	paper_add(p, PAPER_BINS)->bins =
		(struct drb_bins_setup){bins, each, choices, p->common.seed};
}

// Ever more bins, for how the fullest grows; and as many as hosts, with more balls.
static void add_throws(struct paper *p)
{
	static const uint32_t each[] = {1, 5, 10, 20};

	for (uint32_t bits = 10; bits <= (p->quick ? 18 : 24); bits += 2) {
		for (uint32_t choices = 1; choices <= (bits > 20 ? 2 : 3); choices++)
			add_bins(p, UINT32_C(1) << bits, 1, choices);
	}
	for (size_t i = 0; i < COUNT(paper_trees); i++) {
		struct drb_tree t;
		drb_tree_init(&t, paper_trees[i][0], paper_trees[i][1]);
		for (size_t e = 0; e < COUNT(each); e++)
			add_bins(p, t.hosts, each[e], 2);
	}
}

void paper_plan(struct paper *p)
{
	paper_plan_study(p);
	paper_plan_faults(p);
	paper_plan_hosts(p);
	add_chains(p);
	add_layers(p);
	add_transients(p);
	add_throws(p);
	for (size_t i = 0; i < COUNT(paper_trees); i++) {
		add_flows(p, paper_trees[i]);
		add_global_flows(p, paper_trees[i]);
		add_latencies(p, paper_trees[i]);
	}
}
