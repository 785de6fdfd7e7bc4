// SPDX-License-Identifier: BSD-3-Clause
// The paper's own experiments, and whether what it claims of them was reproduced.
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

static double flow_load(const struct paper *p, int tree, const char *label, uint32_t c)
{
	const struct paper_point *point = paper_find_flow(p, paper_trees[tree], label, c);

	return point ? paper_flow_summary(point).max_load : NAN;
}

// The claims of the paper, each checked against the figures.
static void flow_claims(const struct paper *p, FILE *f)
{
	bool best = true;
	double first = 0, worst = 0; // of c = 1, of the others
	char text[256];

	for (int tree = 0; tree < 2; tree++) {
		for (uint32_t c = 1; c <= 20; c++) {
			const struct paper_point *point =
				paper_find_flow(p, paper_trees[tree], ITS_OWN, c);
			if (!point)
				continue;
			double load = paper_flow_summary(point).max_load;
			double estimate =
				drb_estimate_flow(c, point->flow.tree.hosts, point->flow.threshold);
			double *most = c == 1 ? &first : &worst;
			*most = fmax(*most, fabs(load - estimate) / estimate);
			for (size_t i = 1; i < PAPER_LINES; i++)
				best = best && !(load > flow_load(p, tree, label_of(i), c));
		}
	}
	fprintf(f, "<ul>\n");
	html_claim(f, best,
		   "DRB with the paper's threshold has the smallest busiest link of all schemes "
		   "for every c, in both trees.");
	snprintf(text, sizeof(text),
		 "the estimate c + ln ln N / ln 2 + T(c) is close to the simulation from c = 2 on: "
		 "the largest relative error is %.1f %% (up to 15 %% counts).",
		 100 * worst);
	html_claim(f, worst < 0.15, text);
	snprintf(text, sizeof(text), "and so it is for c = 1: there the relative error is %.1f %%.",
		 100 * first);
	html_claim(f, first < 0.15, text);
	fprintf(f, "</ul>\n");
}

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
			fprintf(f, "<td>%.2f</td><td>%.2f</td><td>%.3f</td>", load, estimate,
				fabs(load - estimate) / estimate);
		}
		fprintf(f, "</tr>\n");
	}
	fprintf(f, "</table>\n");
}

void report_flows(const struct paper *p, FILE *f)
{
	fprintf(f, "<h2>Flows</h2>\n");
	flow_claims(p, f);
	html_tree_images(p, f, "flow");
	fprintf(f, "<p>The paper's Table 1, busiest link under DRB against its estimate:</p>\n");
	table_1(p, f);
}

static struct drb_packet_result latency_of(const struct paper *p, int tree, const char *label,
					   double rho)
{
	const struct paper_where at = {PAPER_ITSELF, paper_trees[tree], "permutation", label, rho};
	const struct paper_point *point = paper_find_packet(p, &at);

	return point ? paper_packet_result(point)
		     : (struct drb_packet_result){.latency = NAN, .tail = NAN};
}

// Smallest load of the paper's experiment at which the queues still grew; NaN if at none.
static double grows_from(const struct paper *p, int tree, const char *label)
{
	for (uint32_t percent = 60; percent < 100; percent++) {
		if (latency_of(p, tree, label, percent / 100.0).growing)
			return percent / 100.0;
	}
	return NAN;
}

// Whether the slots that the paper simulates are enough.
static void settled(const struct paper *p, FILE *f)
{
	const char *before = "The queues had not settled by then under ";

	fprintf(f, "<p>Measured are packets born in the last %s slots%s. ",
		p->quick ? "50 of 200" : "500 of 2000",
		p->quick ? " (in the paper: 500 of 2000)" : ", as in the paper");
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

static void packet_claims(const struct paper *p, FILE *f)
{
	bool mean = true, tail = true, balanced = true;

	for (int tree = 0; tree < 2; tree++) {
		struct drb_packet_result at9 = latency_of(p, tree, ITS_OWN, 0.9);
		for (uint32_t percent = 90; percent < 100; percent++) {
			struct drb_packet_result drb =
				latency_of(p, tree, ITS_OWN, percent / 100.0);
			for (size_t i = 1; i < PAPER_LINES && !isnan(drb.latency); i++) {
				struct drb_packet_result r =
					latency_of(p, tree, label_of(i), percent / 100.0);
				mean = mean && drb.latency < r.latency;
				tail = tail && drb.tail < r.tail;
			}
		}
		struct drb_packet_result micro =
			latency_of(p, tree, drb_scheme_name(DRB_SCHEME_MICRO), 0.9);
		struct drb_packet_result dmodk =
			latency_of(p, tree, drb_scheme_name(DRB_SCHEME_DMODK), 0.9);
		balanced = balanced && at9.down_mean[2] < micro.down_mean[2] &&
			   at9.up_mean[1] < dmodk.up_mean[1];
	}
	fprintf(f, "<ul>\n");
	html_claim(f, mean,
		   "DRB has the lowest mean latency of all schemes at every rho from 0.9.");
	html_claim(f, tail,
		   "DRB has the lowest tail latency of all schemes at every rho from 0.9.");
	html_claim(f, balanced,
		   "at rho = 0.9 DRB queues less than micro on the way down and less than "
		   "dmodk on the way up.");
	fprintf(f, "</ul>\n");
}

void report_packets(const struct paper *p, FILE *f)
{
	fprintf(f, "<h2>Packets</h2>\n");
	packet_claims(p, f);
	settled(p, f);
	html_tree_images(p, f, "latency");
	fprintf(f,
		"<p>Tail latency is the mean, over slots, of the longest latency among the packets "
		"born in the slot.</p>\n");
	html_tree_images(p, f, "tail");
	fprintf(f, "<p>Queues of the links by layer, up and down:</p>\n");
	html_tree_images(p, f, "queue-mean");
	html_tree_images(p, f, "queue-max");
}
