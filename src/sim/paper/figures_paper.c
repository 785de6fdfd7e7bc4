// SPDX-License-Identifier: BSD-3-Clause
// Pictures of the paper's own experiments: its figures 4, 5 and 6.
#include "sim/paper/plots.h"

#include <math.h>
#include <stdlib.h>

#include "sim/paper/figures.h"
#include "sim/paper/points.h"

#define QUEUES_RHO 0.9

static void flow_figure(const struct paper *p, FILE *f, const uint32_t tree[2])
{
	char name[64], title[96];

	snprintf(name, sizeof(name), "flow-F%u-%u", tree[0], tree[1]);
	snprintf(title, sizeof(title), "Busiest link in F(%u,%u)", tree[0], tree[1]);
	figure_begin(
		f, name,
		&(struct figure_head){
			.kind = "lines",
			.title = title,
			.caption = "Paper, Fig. 4: flows on the busiest link, c flows a host; the "
				   "optimum is c. Bars: 95 % intervals of the mean over the runs.",
			.x = "flows per host, c",
			.y = "flows on the busiest link"});
	for (size_t i = 0; i < PAPER_LINES; i++) {
		const char *label = paper_line_label(paper_lines[i]);
		figure_series(f, label, label, NULL);
		for (uint32_t c = 1; c <= 20; c++) {
			const struct paper_point *point = paper_find_flow(p, tree, label, c);
			if (!point)
				continue;
			struct drb_flow_summary flows = paper_flow_summary(point);
			struct sim_sample s =
				sim_sample_of(point->runs, flows.max_load, flows.max_load_sd);
			figure_sample(f, c, &s, false);
		}
	}
	figure_series(f, "optimum", "ink", "dashed");
	fprintf(f, "point\t1\t1\npoint\t20\t20\n");
}

void figures_of_flows(const struct paper *p, FILE *f)
{
	for (int i = 0; i < 2; i++)
		flow_figure(p, f, paper_trees[i]);
}

static bool any_grows(const struct paper_runs *runs)
{
	for (uint32_t i = 0; i < runs->count; i++) {
		if (runs->result[i].growing)
			return true;
	}
	return false;
}

static void latency_figure(const struct paper *p, FILE *f, const uint32_t tree[2], bool tail)
{
	char name[64], title[96];

	snprintf(name, sizeof(name), "%s-F%u-%u", tail ? "tail" : "latency", tree[0], tree[1]);
	snprintf(title, sizeof(title), "%s latency in F(%u,%u)", tail ? "Tail" : "Mean", tree[0],
		 tree[1]);
	figure_begin(
		f, name,
		&(struct figure_head){.kind = "lines",
				      .title = title,
				      .caption = tail ? "Paper, Fig. 6: mean, over slots, of the "
							"longest latency born in "
							"the slot. Bars: 95 % intervals over seeds."
						      : "Paper, Fig. 6: mean latency. Bars: 95 % "
							"intervals over seeds.",
				      .x = "load",
				      .y = "slots",
				      .y_more = "\tlog"});
	for (size_t i = 0; i < PAPER_LINES; i++) {
		const char *label = paper_line_label(paper_lines[i]);
		figure_series(f, label, label, NULL);
		for (uint32_t k = 0; k < PAPER_RHOS; k++) {
			struct paper_runs runs = paper_runs_of(p, tree, label, paper_rho(k));
			struct sim_sample s = {0};
			for (uint32_t r = 0; r < runs.count; r++)
				sim_sample_add(&s,
					       tail ? runs.result[r].tail : runs.result[r].latency);
			if (s.count)
				figure_sample(f, paper_rho(k), &s, any_grows(&runs));
		}
	}
}

// A layer's links: above 0 up, below 0 down.
static struct sim_sample queue_of(const struct paper_runs *runs, int layer, bool max)
{
	struct sim_sample s = {0};
	uint32_t m = (uint32_t)abs(layer);

	for (uint32_t i = 0; i < runs->count; i++) {
		const struct drb_packet_result *r = &runs->result[i];
		double mean = layer > 0 ? r->up_mean[m] : r->down_mean[m];
		double most = layer > 0 ? r->up_max[m] : r->down_max[m];
		sim_sample_add(&s, max ? most : mean);
	}
	return s;
}

// In the order of a path: 1 up, 2 up, ..., and down again.
static int layer_at(const uint32_t tree[2], int i)
{
	return i < (int)tree[0] ? i : i - 2 * (int)tree[0];
}

static void queue_figure(const struct paper *p, FILE *f, const uint32_t tree[2], bool max)
{
	char name[64], title[96], link[24];

	snprintf(name, sizeof(name), "queue-%s-F%u-%u", max ? "max" : "mean", tree[0], tree[1]);
	snprintf(title, sizeof(title), "%s queue in F(%u,%u), load %g", max ? "Longest" : "Mean",
		 tree[0], tree[1], QUEUES_RHO);
	figure_begin(f, name,
		     &(struct figure_head){
			     .kind = "bars",
			     .title = title,
			     .caption = "Paper, Fig. 5: queues by layer, in the order of a path, "
					"at load 0.9 (the paper does not name its own). Bars: "
					"95 % intervals over seeds.",
			     .x = "links of a layer",
			     .y = "packets",
			     .y_more = max ? "\tlog\t1" : "\t0"});
	for (size_t i = 0; i < PAPER_LINES; i++) {
		const char *label = paper_line_label(paper_lines[i]);
		struct paper_runs runs = paper_runs_of(p, tree, label, QUEUES_RHO);
		figure_series(f, label, label, NULL);
		for (int m = 1; m < 2 * (int)tree[0] && runs.count; m++) {
			int layer = layer_at(tree, m);
			struct sim_sample s = queue_of(&runs, layer, max);
			snprintf(link, sizeof(link), "%d %s", abs(layer),
				 layer > 0 ? "up" : "down");
			figure_bar(f, link, &s);
		}
	}
}

static void queue_panel(const struct paper *p, FILE *f, const uint32_t tree[2], const char *label)
{
	char link[24], look[8];

	fprintf(f, "panel\t%s\n", label);
	for (int m = 1; m < 2 * (int)tree[0]; m++) {
		int layer = layer_at(tree, m);
		snprintf(link, sizeof(link), "%d %s", abs(layer), layer > 0 ? "up" : "down");
		snprintf(look, sizeof(look), "%d", m);
		figure_series(f, link, look, layer > 0 ? NULL : "dashed");
		for (uint32_t k = 0; k < PAPER_RHOS; k++) {
			struct paper_runs runs = paper_runs_of(p, tree, label, paper_rho(k));
			struct sim_sample s = queue_of(&runs, layer, false);
			if (s.count)
				figure_sample(f, paper_rho(k), &s, any_grows(&runs));
		}
	}
}

// A panel for each scheme.
static void queue_load_figure(const struct paper *p, FILE *f, const uint32_t tree[2])
{
	char name[64], title[96];

	snprintf(name, sizeof(name), "queue-load-F%u-%u", tree[0], tree[1]);
	snprintf(title, sizeof(title), "Mean queues in F(%u,%u) by load and layer", tree[0],
		 tree[1]);
	figure_begin(f, name,
		     &(struct figure_head){
			     .kind = "lines",
			     .title = title,
			     .caption = "As the paper's Fig. 5, at every load of its Fig. 6: mean "
					"queues of the links of each layer. Bars: 95 % intervals "
					"over seeds.",
			     .x = "load",
			     .y = "packets",
			     .y_more = "\tlog"});
	for (size_t i = 0; i < PAPER_LINES; i++)
		queue_panel(p, f, tree, paper_line_label(paper_lines[i]));
}

void figures_of_packets(const struct paper *p, FILE *f)
{
	for (int i = 0; i < 2; i++) {
		for (int second = 0; second < 2; second++) {
			latency_figure(p, f, paper_trees[i], second);
			queue_figure(p, f, paper_trees[i], second);
		}
		queue_load_figure(p, f, paper_trees[i]);
	}
}
