// SPDX-License-Identifier: BSD-3-Clause
// The paper's own experiments.
#include "sim/paper/report_parts.h"

#include <math.h>

#include "sim/paper/html.h"
#include "sim/paper/points.h"

static const char *label_of(size_t line)
{
	return paper_line_label(paper_lines[line]);
}

// The paper's own scheme.
#define ITS_OWN label_of(0)

static void table_1(const struct paper *p, FILE *f)
{
	fprintf(f, "<table><tr><th>c</th><th>T(c)</th>");
	for (int tree = 0; tree < 2; tree++)
		fprintf(f, "<th>F(%u,%u) simulated</th><th>estimate</th><th>relative error</th>",
			paper_trees[tree][0], paper_trees[tree][1]);
	fprintf(f, "</tr>\n");
	for (uint32_t c = 1; c <= 20; c++) {
		const struct paper_point *first = paper_find_flow(p, paper_trees[0], ITS_OWN, c);
		if (!first)
			continue;
		fprintf(f, "<tr><td>%u</td><td>%g</td>", c, first->flow.threshold);
		for (int tree = 0; tree < 2; tree++) {
			const struct paper_point *point =
				paper_find_flow(p, paper_trees[tree], ITS_OWN, c);
			double estimate =
				drb_estimate_flow(c, point->flow.tree.hosts, point->flow.threshold);
			double load = paper_flow_summary(point).max_load;
			struct sim_sample s = sim_sample_of(point->runs, load,
							    paper_flow_summary(point).max_load_sd);
			fprintf(f, "<td>%.2f &plusmn; %.2f</td><td>%.2f</td><td>%.3f</td>", load,
				sim_sample_half_width(&s), estimate,
				fabs(load - estimate) / estimate);
		}
		fprintf(f, "</tr>\n");
	}
	fprintf(f, "</table>\n");
}

void report_flows(const struct paper *p, FILE *f)
{
	fprintf(f, "<h2>Flows</h2>\n");
	html_tree_images(p, f, "flow");
	fprintf(f, "<p>The paper's Table 1, busiest link under DRB against its estimate, 95 %% "
		   "intervals:</p>\n");
	table_1(p, f);
}

// Smallest load of the paper's experiment at which queues of a run still grew; NaN if at none.
static double grows_from(const struct paper *p, int tree, const char *label)
{
	for (uint32_t i = 0; i < PAPER_RHOS; i++) {
		struct paper_runs runs = paper_runs_of(p, paper_trees[tree], label, paper_rho(i));
		for (uint32_t k = 0; k < runs.count; k++) {
			if (runs.result[k].growing)
				return paper_rho(i);
		}
	}
	return NAN;
}

// Whether the slots that the paper simulates are enough.
static void settled(const struct paper *p, FILE *f)
{
	const char *before = "The queues had not settled by then under ";

	fprintf(f, p->quick ? "<p>Measured are packets born in the last 40 of 120 slots (in the "
			      "paper: 500 "
			      "of 2000). "
			    : "<p>Measured are packets born in the last 500 of 2000 slots, as in "
			      "the paper, "
			      "at loads at which queues take so long to settle; below, 200 slots "
			      "behind "
			      "those in which they do. ");
	for (int tree = 0; tree < 2; tree++) {
		for (size_t i = 0; i < PAPER_LINES; i++) {
			double rho = grows_from(p, tree, label_of(i));
			if (isnan(rho))
				continue;
			fprintf(f, "%s%s on F(%u,%u) from rho = %g", before, label_of(i),
				paper_trees[tree][0], paper_trees[tree][1], rho);
			before = ", ";
		}
	}
	fprintf(f, *before == ',' ? ": in a longer run these latencies would be higher.</p>\n"
				  : "By then the queues had stopped growing everywhere.</p>\n");
}

// The drift over the runs of a point: how far latencies of the later half of what is measured are above those
// of the earlier half.
static struct sim_sample drift_of(const struct paper_runs *runs)
{
	struct sim_sample s = {0};

	for (uint32_t i = 0; i < runs->count; i++) {
		if (!isnan(runs->result[i].drift))
			sim_sample_add(&s, runs->result[i].drift);
	}
	return s;
}

// A drift is seen where its interval is above 0 and it is more than this.
#define DRIFT 0.01

static void warm_up_row(const struct paper *p, FILE *f, int tree, const char *label)
{
	double from = NAN, most = -1, at = NAN, half = NAN;

	for (uint32_t i = 0; i < PAPER_RHOS; i++) {
		struct paper_runs runs = paper_runs_of(p, paper_trees[tree], label, paper_rho(i));
		struct sim_sample s = drift_of(&runs);
		double width = sim_sample_half_width(&s);
		if (s.count == 0)
			continue;
		if (s.mean > most) {
			most = s.mean;
			half = width;
			at = paper_rho(i);
		}
		if (isnan(from) && s.mean > DRIFT && s.mean - width > 0)
			from = paper_rho(i);
	}
	fprintf(f, "<tr><td>F(%u,%u), %s</td><td>%.3f &plusmn; %.3f, load %.2f</td>",
		paper_trees[tree][0], paper_trees[tree][1], label, most, isnan(half) ? 0 : half,
		at);
	if (isnan(from))
		fprintf(f, "<td class=\"yes\">settled at all loads</td></tr>\n");
	else
		fprintf(f, "<td class=\"no\">not settled from load %.2f</td></tr>\n", from);
}

static void warm_up(const struct paper *p, FILE *f)
{
	fprintf(f,
		"<p>Whether the warm-up was long enough: the drift is how far the mean latency of "
		"what "
		"the later half of the measured slots bore is above that of the earlier half, less "
		"1, with its 95 %% interval over seeds. A scheme counts as not settled from the "
		"load at "
		"which it is more than %g for sure.</p>\n<table><tr><th>scheme</th><th>largest "
		"drift</th><th>warm-up</th></tr>\n",
		DRIFT);
	for (int tree = 0; tree < 2; tree++) {
		for (size_t i = 0; i < PAPER_LINES; i++)
			warm_up_row(p, f, tree, label_of(i));
	}
	fprintf(f, "</table>\n");
}

void report_packets(const struct paper *p, FILE *f)
{
	fprintf(f, "<h2>Packets</h2>\n");
	settled(p, f);
	html_tree_images(p, f, "latency");
	fprintf(f,
		"<p>Tail latency is the mean, over slots, of the longest latency among the packets "
		"born in the slot.</p>\n");
	html_tree_images(p, f, "tail");
	fprintf(f, "<p>Queues of the links by layer, up and down:</p>\n");
	html_tree_images(p, f, "queue-mean");
	html_tree_images(p, f, "queue-max");
	html_tree_images(p, f, "queue-load");
	warm_up(p, f);
}
