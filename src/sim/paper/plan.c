// SPDX-License-Identifier: BSD-3-Clause
#include "sim/paper/plan.h"

#include "sim/paper/faults.h"
#include "sim/paper/points.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void add_flows(struct paper *p, const uint32_t tree[2])
{
	static const uint32_t few[] = {1, 2, 5, 10, 20};

	for (size_t s = 0; s < PAPER_LINES; s++) {
		for (uint32_t i = 0; i < (p->quick ? COUNT(few) : 20); i++) {
			struct paper_point *point = paper_add(p, PAPER_FLOW);
			struct drb_flow_setup *f = &point->flow;
			drb_tree_init(&f->tree, tree[0], tree[1]);
			f->scheme = paper_lines[s].scheme;
			f->choices = 2;
			f->flows = p->quick ? few[i] : i + 1;
			f->threshold = paper_lines[s].plain
					       ? 0
					       : drb_threshold_flow(f->flows, f->tree.hosts);
			f->seed = p->common.seed;
			point->paper_t = !paper_lines[s].plain;
			point->runs = p->quick ? 3 : 200;
		}
	}
}

static void add_latencies(struct paper *p, const uint32_t tree[2])
{
	static const double few[] = {0.6, 0.75, 0.9, 0.96};

	for (size_t s = 0; s < PAPER_LINES; s++) {
		for (uint32_t i = 0; i < (p->quick ? COUNT(few) : 14); i++) {
			double rho = p->quick ? few[i] : (60 + 3 * i) / 100.0;
			struct paper_point *point = paper_add_packets(
				p, tree, paper_lines[s].scheme, rho, "permutation");
			if (paper_lines[s].plain)
				point->packet.threshold = 0;
			point->paper_t = !paper_lines[s].plain;
		}
	}
}

// A tree under several kinds of traffic, at several loads. Runs last `slots` slots, above load 0.9
// `more_slots`: up to 0.9 queues settle within 400 slots, and where many hosts are averaged over a
// few hundred slots are enough.
struct study {
	const uint32_t *tree;
	const char *const *traffic;
	size_t traffics;
	const double *rho;
	size_t rhos;
	uint32_t slots, more_slots;
};

static void add_study(struct paper *p, const struct study *study)
{
	for (size_t t = 0; t < study->traffics; t++) {
		for (size_t s = 0; s < PAPER_STUDIED_SCHEMES; s++) {
			for (size_t i = 0; i < study->rhos; i++) {
				struct paper_point *point =
					paper_add_packets(p, study->tree, paper_studied_scheme[s],
							  study->rho[i], study->traffic[t]);
				uint32_t slots =
					study->rho[i] > 0.9 ? study->more_slots : study->slots;
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
	static const char *const some[] = {"permutation", "fixed",    "mixed",  "reversal",
					   "racks:0.5",   "turns:10", "epoch:4"};
	static const double rho[] = {0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99};
	static const double few[] = {0.5, 0.7, 0.9}, some_rho[] = {0.7, 0.8, 0.9, 0.99};
#define TRAFFIC(list) .traffic = list, .traffics = COUNT(list)
#define ALL TRAFFIC(paper_studied_traffic)
#define LOADS(list) .rho = list, .rhos = COUNT(list)
	static const struct study quick = {paper_studied[0], ALL, LOADS(few), 800, 800};
	static const struct study full[] = {
		{paper_studied[0], ALL, LOADS(rho), 6000, 6000},
		{paper_studied[1], TRAFFIC(some), LOADS(some_rho), 1000, 1500},
		{paper_studied[2], TRAFFIC(some), LOADS(rho), 3000, 3000},
	};

	if (p->quick) {
		add_study(p, &quick);
		return;
	}
	for (size_t i = 0; i < COUNT(full); i++)
		add_study(p, &full[i]);
}

static void add_chains(struct paper *p)
{
	static const double lambda[] = {0.5, 0.9, 0.95}, threshold[] = {0, 1, 2, 3, 5};

	for (size_t l = 0; l < COUNT(lambda); l++) {
		for (size_t t = 0; t < COUNT(threshold); t++) {
			paper_add(p, PAPER_CTMC)->ctmc = (struct drb_ctmc_setup){
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
