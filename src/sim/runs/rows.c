// SPDX-License-Identifier: BSD-3-Clause
#include "sim/runs/rows.h"

#include <math.h>
#include <string.h>

static const struct drb_column flow_columns[] = {
	{"scheme", NULL, DRB_TEXT, 0},
	{"layers", "l", DRB_COUNT, 0},
	{"arity", "d", DRB_COUNT, 0},
	{"flows", "c", DRB_COUNT, 0},
	{"threshold", "T", DRB_REAL, 2},
	{"runs", NULL, DRB_COUNT, 0},
	{"max_load", "max load", DRB_REAL, 2},
	{"max_load_sd", "sd", DRB_REAL, 2},
	{"max_up", "up", DRB_REAL, 2},
	{"max_down", "down", DRB_REAL, 2},
	{"redirected", NULL, DRB_REAL, 4},
	{"estimate", NULL, DRB_REAL, 2},
	{"relative_error", "error", DRB_REAL, 4},
};

struct drb_table *sim_flow_table(FILE *out, enum drb_format format)
{
	return drb_table_new(out, format, flow_columns,
			     sizeof(flow_columns) / sizeof(flow_columns[0]));
}

void sim_flow_row(struct drb_table *table, const struct drb_flow_setup *setup,
		  const struct drb_flow_summary *s, uint32_t runs)
{
	// The estimate is that of the paper's scheme.
	bool estimated = setup->scheme == DRB_SCHEME_DRB;
	double estimate = drb_estimate_flow(setup->flows, setup->tree.hosts, setup->threshold);

	drb_table_text(table, drb_scheme_name(setup->scheme));
	drb_table_count(table, setup->tree.layers);
	drb_table_count(table, setup->tree.arity);
	drb_table_count(table, setup->flows);
	drb_table_real(table, estimated ? setup->threshold : NAN);
	drb_table_count(table, runs);
	drb_table_real(table, s->max_load);
	drb_table_real(table, s->max_load_sd);
	drb_table_real(table, s->max_up);
	drb_table_real(table, s->max_down);
	drb_table_real(table, s->redirected);
	drb_table_real(table, estimated ? estimate : NAN);
	drb_table_real(table, estimated ? fabs(s->max_load - estimate) / estimate : NAN);
}

static void add_queue(struct sim_packet_layout *l, const char *direction, uint32_t layer)
{
	static const char *const kinds[] = {"mean", "max"};

	for (int i = 0; i < 2; i++) {
		char *key = l->key[l->count - SIM_PACKET_FIXED];
		snprintf(key, sizeof(l->key[0]), "queue_%s%u_%s", direction, layer, kinds[i]);
		// Without "queue_" in the table.
		l->column[l->count++] =
			(struct drb_column){key, key + 6, i == 0 ? DRB_REAL : DRB_COUNT, 2};
	}
}

void sim_packet_lay_out(struct sim_packet_layout *l, uint32_t layers)
{
	static const struct drb_column fixed[SIM_PACKET_FIXED] = {
		{"scheme", NULL, DRB_TEXT, 0},     {"layers", "l", DRB_COUNT, 0},
		{"arity", "d", DRB_COUNT, 0},      {"traffic", NULL, DRB_TEXT, 0},
		{"rho", "load", DRB_REAL, 3},      {"threshold", "T", DRB_REAL, 2},
		{"latency", NULL, DRB_REAL, 2},    {"tail", NULL, DRB_REAL, 1},
		{"redirected", NULL, DRB_REAL, 4}, {"throughput", NULL, DRB_REAL, 4},
		{"growing", NULL, DRB_TEXT, 0},    {"growing_links", "links", DRB_COUNT, 0},
	};

	memcpy(l->column, fixed, sizeof(fixed));
	l->count = SIM_PACKET_FIXED;
	for (uint32_t m = 1; m < layers; m++)
		add_queue(l, "up", m);
	for (uint32_t m = 1; m <= layers; m++)
		add_queue(l, "down", m);
}

void sim_packet_row(struct drb_table *table, const struct drb_packet_setup *setup,
		    const struct drb_packet_result *r)
{
	char traffic[DRB_TRAFFIC_NAME_MAX];

	drb_traffic_format(setup->traffic, traffic);
	drb_table_text(table, drb_scheme_name(setup->scheme));
	drb_table_count(table, setup->tree.layers);
	drb_table_count(table, setup->tree.arity);
	drb_table_text(table, traffic);
	drb_table_real(table, setup->rho);
	drb_table_real(table, drb_scheme_has_threshold(setup->scheme) ? setup->threshold : NAN);
	drb_table_real(table, r->latency);
	drb_table_real(table, r->tail);
	drb_table_real(table, r->redirected);
	drb_table_real(table, r->throughput);
	drb_table_text(table, r->growing ? "yes" : "no");
	drb_table_count(table, r->growing_links);
	for (uint32_t m = 1; m < setup->tree.layers; m++) {
		drb_table_real(table, r->up_mean[m]);
		drb_table_count(table, r->up_max[m]);
	}
	for (uint32_t m = 1; m <= setup->tree.layers; m++) {
		drb_table_real(table, r->down_mean[m]);
		drb_table_count(table, r->down_max[m]);
	}
}
