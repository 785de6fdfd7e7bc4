// SPDX-License-Identifier: BSD-3-Clause
#include "sim/paper/csv.h"

#include <string.h>

#include "sim/paper/claims_csv.h"
#include "sim/paper/cost.h"
#include "sim/paper/output.h"
#include "sim/paper/points.h"
#include "sim/paper/study.h"
#include "sim/paper/study_csv.h"
#include "sim/runs/rows.h"

static void write_flows(const struct paper *p, const uint32_t tree[2])
{
	struct drb_tree t;
	char name[64];

	drb_tree_init(&t, tree[0], tree[1]);
	snprintf(name, sizeof(name), "flow-F%u-%u.csv", tree[0], tree[1]);
	FILE *f = paper_open(p, name);
	struct drb_table *table = sim_flow_table(f, DRB_FORMAT_CSV, &t);
	for (uint32_t i = 0; i < p->points; i++) {
		const struct paper_point *point = &p->point[i];
		if (point->kind != PAPER_FLOW || point->flow.tree.layers != tree[0] ||
		    point->flow.tree.arity != tree[1])
			continue;
		struct drb_flow_summary s = paper_flow_summary(point);
		sim_flow_row(table, &point->flow, &s, point->runs);
	}
	drb_table_end(table);
	paper_close(p, f, name);
}

static void write_packets(const struct paper *p, const uint32_t tree[2], enum paper_study study)
{
	static const char *const file[] = {"packet", "persistent", "faults"};
	static const struct drb_column more[] = {
		{"seed", NULL, DRB_COUNT, 0},       {"slots", NULL, DRB_COUNT, 0},
		{"measured", NULL, DRB_COUNT, 0},   {"drift", NULL, DRB_REAL, 4},
		{"dead_links", NULL, DRB_COUNT, 0}, {"dead_switches", NULL, DRB_COUNT, 0},
		{"lost", NULL, DRB_REAL, 6}};
	struct sim_packet_layout layout;
	char name[64];

	snprintf(name, sizeof(name), "%s-F%u-%u.csv", file[study], tree[0], tree[1]);
	FILE *f = paper_open(p, name);
	sim_packet_lay_out(&layout, tree[0], false);
	uint32_t added = study == PAPER_FAULTS ? sizeof(more) / sizeof(more[0]) : 4;
	memcpy(layout.column + layout.count, more, added * sizeof(more[0]));
	layout.count += added;
	struct drb_table *table = drb_table_new(f, DRB_FORMAT_CSV, layout.column, layout.count);
	for (uint32_t i = 0; i < p->points; i++) {
		const struct paper_point *point = &p->point[i];
		if (point->kind != PAPER_PACKET || point->study != study ||
		    point->packet.tree.layers != tree[0] || point->packet.tree.arity != tree[1])
			continue;
		struct drb_packet_result r = paper_packet_result(point);
		sim_packet_row(table, &point->packet, &r);
		drb_table_count(table, point->packet.seed);
		drb_table_count(table, point->packet.slots);
		drb_table_count(table, point->packet.stats);
		drb_table_real(table, r.drift);
		if (study != PAPER_FAULTS)
			continue;
		drb_table_count(table, point->packet.fail.links);
		drb_table_count(table, point->packet.fail.switches);
		drb_table_real(table, r.lost);
	}
	drb_table_end(table);
	paper_close(p, f, name);
}

static void write_chains(const struct paper *p)
{
	static const struct drb_column columns[] = {
		{"lambda", NULL, DRB_REAL, 2},
		{"threshold", NULL, DRB_REAL, 0},
		{"queues", NULL, DRB_COUNT, 0},
		{"seed", NULL, DRB_COUNT, 0},
		{"mean_queue", NULL, DRB_REAL, 4},
		{"mean_queue_theory", NULL, DRB_REAL, 4},
		{"mean_time", NULL, DRB_REAL, 4},
		{"redirected", NULL, DRB_REAL, 4},
		{"redirected_theory", NULL, DRB_REAL, 4},
	};
	FILE *f = paper_open(p, "ctmc.csv");
	struct drb_table *table =
		drb_table_new(f, DRB_FORMAT_CSV, columns, sizeof(columns) / sizeof(columns[0]));

	for (uint32_t i = 0; i < p->points; i++) {
		const struct paper_point *point = &p->point[i];
		struct drb_theory th;
		if (point->kind != PAPER_CTMC ||
		    drb_theory_solve(&th, point->ctmc.lambda, point->ctmc.threshold) < 0)
			continue;
		struct paper_chain chain = paper_chain(point);
		drb_table_real(table, point->ctmc.lambda);
		drb_table_real(table, point->ctmc.threshold);
		drb_table_count(table, point->ctmc.queues);
		drb_table_count(table, point->ctmc.seed);
		drb_table_real(table, chain.mean_queue);
		drb_table_real(table, th.mean_queue);
		drb_table_real(table, chain.mean_time);
		drb_table_real(table, chain.redirected);
		drb_table_real(table, th.redirected);
		drb_theory_free(&th);
	}
	drb_table_end(table);
	paper_close(p, f, "ctmc.csv");
}

static void write_tails(const struct paper *p)
{
	static const struct drb_column columns[] = {
		{"lambda", NULL, DRB_REAL, 2},   {"threshold", NULL, DRB_REAL, 0},
		{"queues", NULL, DRB_COUNT, 0},  {"i", NULL, DRB_COUNT, 0},
		{"s", NULL, DRB_REAL, 6},        {"s_half_width", NULL, DRB_REAL, 6},
		{"s_theory", NULL, DRB_REAL, 6},
	};
	FILE *f = paper_open(p, "tails.csv");
	struct drb_table *table =
		drb_table_new(f, DRB_FORMAT_CSV, columns, sizeof(columns) / sizeof(columns[0]));
	struct paper_chain_runs runs;
	struct drb_theory th;

	for (uint32_t at = 0; paper_chain_next(p, &at, &runs);) {
		if (drb_theory_solve(&th, runs.setup->lambda, runs.setup->threshold) < 0)
			continue;
		for (uint32_t i = 1; i <= PAPER_CHAIN_LEVELS; i++) {
			drb_table_real(table, runs.setup->lambda);
			drb_table_real(table, runs.setup->threshold);
			drb_table_count(table, runs.setup->queues);
			drb_table_count(table, i);
			drb_table_real(table, runs.s[i].mean);
			drb_table_real(table, sim_sample_half_width(&runs.s[i]));
			drb_table_real(table, i < th.count ? th.s[i] : 0);
		}
		drb_theory_free(&th);
	}
	drb_table_end(table);
	paper_close(p, f, "tails.csv");
}

static void write_layers(const struct paper *p)
{
	static const struct drb_column columns[] = {
		{"layers", NULL, DRB_COUNT, 0},        {"arity", NULL, DRB_COUNT, 0},
		{"lambda", NULL, DRB_REAL, 2},         {"threshold", NULL, DRB_REAL, 2},
		{"seed", NULL, DRB_COUNT, 0},          {"layer", NULL, DRB_COUNT, 0},
		{"mean_queue", NULL, DRB_REAL, 4},     {"distance", NULL, DRB_REAL, 4},
		{"departures_cv2", NULL, DRB_REAL, 4},
	};
	FILE *f = paper_open(p, "layers.csv");
	struct drb_table *table =
		drb_table_new(f, DRB_FORMAT_CSV, columns, sizeof(columns) / sizeof(columns[0]));

	for (uint32_t i = 0; i < p->points; i++) {
		const struct paper_point *point = &p->point[i];
		for (uint32_t m = 1; point->kind == PAPER_CTMC_LAYERS && m < point->layers.layers;
		     m++) {
			struct paper_layer layer = paper_layer(point, m);
			drb_table_count(table, point->layers.layers);
			drb_table_count(table, point->layers.arity);
			drb_table_real(table, point->layers.lambda);
			drb_table_real(table, point->layers.threshold);
			drb_table_count(table, point->layers.seed);
			drb_table_count(table, m);
			drb_table_real(table, layer.mean_queue);
			drb_table_real(table, layer.distance);
			drb_table_real(table, layer.departures_cv2);
		}
	}
	drb_table_end(table);
	paper_close(p, f, "layers.csv");
}

// Unlike the other files, cost.csv differs from run to run.
static void write_costs(const struct paper *p)
{
	struct paper_cost cost[PAPER_COSTS];
	uint32_t costs = paper_costs(p, cost);
	static const struct drb_column columns[] = {
		{"part", NULL, DRB_TEXT, 0},
		{"points", NULL, DRB_COUNT, 0},
		{"cpu_seconds", NULL, DRB_REAL, 1},
		{"longest_seconds", NULL, DRB_REAL, 1},
	};
	FILE *f = paper_open(p, "cost.csv");
	struct drb_table *table = drb_table_new(f, DRB_FORMAT_CSV, columns, 4);

	for (uint32_t i = 0; i < costs; i++) {
		drb_table_text(table, cost[i].name);
		drb_table_count(table, cost[i].points);
		drb_table_real(table, cost[i].cpu);
		drb_table_real(table, cost[i].longest);
	}
	drb_table_end(table);
	paper_close(p, f, "cost.csv");
}

void paper_csv(const struct paper *p)
{
	for (int i = 0; i < 2; i++) {
		write_flows(p, paper_trees[i]);
		write_packets(p, paper_trees[i], PAPER_ITSELF);
	}
	for (int i = 0; i < (p->quick ? 1 : PAPER_STUDIED_TREES); i++)
		write_packets(p, paper_studied[i], PAPER_PERSISTENT);
	paper_claims_csv(p);
	paper_study_csv(p);
	write_packets(p, paper_studied[0], PAPER_FAULTS);
	write_chains(p);
	write_tails(p);
	write_layers(p);
	write_costs(p);
}
