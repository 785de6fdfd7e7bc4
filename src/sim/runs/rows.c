// SPDX-License-Identifier: BSD-3-Clause
#include "sim/runs/rows.h"
#include "sim/runs/sample.h"

#include <math.h>
#include <string.h>

static const struct drb_column flow_columns[] = {
	{"scheme", NULL, DRB_TEXT, 0},
	{"flows", "c", DRB_COUNT, 0},
	{"threshold", "T", DRB_REAL, 2},
	{"max_load", "max load", DRB_REAL, 2},
	{"max_load_sd", "sd", DRB_REAL, 2},
	{"max_load_half", "+-", DRB_REAL, 2},
	{"max_up", "up", DRB_REAL, 2},
	{"max_down", "down", DRB_REAL, 2},
	{"redirected", NULL, DRB_REAL, 4},
	{"estimate", NULL, DRB_REAL, 2},
	{"relative_error", "error", DRB_REAL, 4},
	{"runs", NULL, DRB_COUNT, 0},
	SIM_COLUMNS_TREE,
	SIM_COLUMN_UPLINKS,
};

void sim_put_tree(struct drb_table *table, const struct drb_tree *t)
{
	drb_table_count(table, t->layers);
	drb_table_count(table, t->arity);
}

void sim_put_threshold(struct drb_table *table, enum drb_scheme scheme, double threshold)
{
	drb_table_real(table, drb_scheme_has_threshold(scheme) ? threshold : NAN);
}

void sim_put_uplinks(struct drb_table *table, const struct drb_tree *t)
{
	if (t->uplinks < t->arity)
		drb_table_count(table, t->uplinks);
}

struct drb_table *sim_flow_table(FILE *out, enum drb_format format, const struct drb_tree *t)
{
	return drb_table_new(out, format, flow_columns,
			     sim_columns(t, sizeof(flow_columns) / sizeof(flow_columns[0])));
}

void sim_flow_row(struct drb_table *table, const struct drb_flow_setup *setup,
		  const struct drb_flow_summary *s, uint32_t runs)
{
	// The estimate is that of the paper's scheme and fat-tree.
	bool estimated =
		drb_scheme_has_threshold(setup->scheme) && setup->tree.uplinks == setup->tree.arity;
	double estimate = drb_estimate_flow(setup->flows, setup->tree.hosts, setup->threshold);

	drb_table_text(table, drb_scheme_name(setup->scheme));
	drb_table_count(table, setup->flows);
	sim_put_threshold(table, setup->scheme, setup->threshold);
	drb_table_real(table, s->max_load);
	drb_table_real(table, s->max_load_sd);
	const struct sim_sample runs_of = sim_sample_of(runs, s->max_load, s->max_load_sd);
	drb_table_real(table, sim_sample_half_width(&runs_of));
	drb_table_real(table, s->max_up);
	drb_table_real(table, s->max_down);
	drb_table_real(table, s->redirected);
	drb_table_real(table, estimated ? estimate : NAN);
	drb_table_real(table, estimated ? fabs(s->max_load - estimate) / estimate : NAN);
	drb_table_count(table, runs);
	sim_put_tree(table, &setup->tree);
	sim_put_uplinks(table, &setup->tree);
}

// Two columns of a kind of link: "queue_up1_mean" and "queue_up1_max", in tables without "queue_".
static void add_link(struct sim_packet_layout *l, const char *figure, const char *direction,
		     uint32_t layer)
{
	static const char *const kinds[] = {"mean", "max"};
	bool queue = strcmp(figure, "queue") == 0;

	for (int i = 0; i < 2; i++) {
		char *key = l->key[l->keys++];
		snprintf(key, sizeof(l->key[0]), "%s_%s%u_%s", figure, direction, layer, kinds[i]);
		l->column[l->count++] =
			(struct drb_column){key, queue ? key + strlen("queue_") : NULL,
					    queue && i == 1 ? DRB_COUNT : DRB_REAL, queue ? 2 : 3};
	}
}

static void add_links(struct sim_packet_layout *l, const char *figure, uint32_t layers)
{
	for (uint32_t m = 1; m < layers; m++)
		add_link(l, figure, "up", m);
	for (uint32_t m = 1; m <= layers; m++)
		add_link(l, figure, "down", m);
}

void sim_packet_lay_out(struct sim_packet_layout *l, uint32_t layers, bool detail)
{
	static const struct drb_column fixed[SIM_PACKET_FIXED] = {
		{"scheme", NULL, DRB_TEXT, 0},     {"rho", "load", DRB_REAL, 3},
		{"latency", NULL, DRB_REAL, 2},    {"tail", NULL, DRB_REAL, 1},
		{"redirected", NULL, DRB_REAL, 4}, {"throughput", NULL, DRB_REAL, 4},
		{"growing", NULL, DRB_TEXT, 0},    {"growing_links", "links", DRB_COUNT, 0},
	};
	// Named as those of drbgen.
	static const struct drb_column more[SIM_PACKET_DETAIL] = {
		{"latency_p50", "p50", DRB_REAL, 0},
		{"latency_p99", "p99", DRB_REAL, 0},
		{"latency_p999", "p99.9", DRB_REAL, 0},
		{"latency_max", "max", DRB_REAL, 0},
		{"reordered_share", "reordered", DRB_REAL, 4},
		{"reorder_extent", "extent", DRB_COUNT, 0},
		{"reorder_buffer", "buffer", DRB_COUNT, 0},
	};
	static const struct drb_column settings[SIM_PACKET_SETTINGS] = {
		{"traffic", NULL, DRB_TEXT, 0},
		{"threshold", "T", DRB_REAL, 2},
		SIM_COLUMNS_TREE,
	};

	memcpy(l->column, fixed, sizeof(fixed));
	l->count = SIM_PACKET_FIXED;
	l->keys = 0;
	add_links(l, "queue", layers);
	if (detail) {
		memcpy(l->column + l->count, more, sizeof(more));
		l->count += SIM_PACKET_DETAIL;
		add_links(l, "use", layers);
	}
	memcpy(l->column + l->count, settings, sizeof(settings));
	l->count += SIM_PACKET_SETTINGS;
}

static void put_use(struct drb_table *table, struct drb_link_use use)
{
	drb_table_real(table, use.mean);
	drb_table_real(table, use.max);
}

static void put_detail(struct drb_table *table, const struct drb_packet_detail *d, uint32_t layers)
{
	drb_table_real(table, d->latency.p50);
	drb_table_real(table, d->latency.p99);
	drb_table_real(table, d->latency.p999);
	drb_table_real(table, d->latency.max);
	drb_table_real(table, drb_reordering_share(&d->order));
	drb_table_count(table, d->order.extent);
	drb_table_count(table, d->order.buffer);
	for (uint32_t m = 1; m < layers; m++)
		put_use(table, d->up[m]);
	for (uint32_t m = 1; m <= layers; m++)
		put_use(table, d->down[m]);
}

void sim_packet_row(struct drb_table *table, const struct drb_packet_setup *setup,
		    const struct drb_packet_result *r)
{
	char traffic[DRB_TRAFFIC_NAME_MAX];

	drb_traffic_format(setup->traffic, traffic);
	drb_table_text(table, drb_scheme_name(setup->scheme));
	drb_table_real(table, setup->rho);
	drb_table_real(table, r->latency);
	drb_table_real(table, r->tail);
	drb_table_real(table, r->redirected);
	drb_table_real(table, r->throughput);
	drb_table_text(table, r->growing ? "yes" : r->unclear ? "unclear" : "no");
	drb_table_count(table, r->growing_links);
	for (uint32_t m = 1; m < setup->tree.layers; m++) {
		drb_table_real(table, r->up_mean[m]);
		drb_table_count(table, r->up_max[m]);
	}
	for (uint32_t m = 1; m <= setup->tree.layers; m++) {
		drb_table_real(table, r->down_mean[m]);
		drb_table_count(table, r->down_max[m]);
	}
	if (setup->detail)
		put_detail(table, &r->detail, setup->tree.layers);
	drb_table_text(table, traffic);
	sim_put_threshold(table, setup->scheme, setup->threshold);
	sim_put_tree(table, &setup->tree);
}
