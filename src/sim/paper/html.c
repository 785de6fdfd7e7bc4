// SPDX-License-Identifier: BSD-3-Clause
#include "sim/paper/paper.h"

#include <math.h>
#include <string.h>
#include <time.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const char head[] =
	"<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
	"<title>Randomized load-balanced routing in fat-trees: what was reproduced</title>\n"
	"<style>body{font:16px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em}"
	"table{border-collapse:collapse;margin:1em 0}td,th{border:1px solid #bbb;padding:.2em .6em;"
	"text-align:right}th{background:#eee}td:first-child,th:first-child{text-align:left}"
	"img{width:49%}.yes{color:#060}.no{color:#a00;font-weight:bold}</style></head><body>\n"
	"<h1>Randomized load-balanced routing in fat-trees: what was reproduced</h1>\n";

static const char introduction[] =
	"<p>A <b>fat-tree</b> F(l,d) connects 2d<sup>l</sup> hosts by l layers of equal switches "
	"with 2d ports. A packet first climbs, and any up-link will do; from its highest switch "
	"there is exactly one way down to its destination. A routing scheme is therefore the rule "
	"by which a switch picks an up-link:</p><ul>\n"
	"<li><b>dmodk</b>: a fixed one per destination. Ways down to different destinations then "
	"never share a link, but many packets may want the same up-link.</li>\n"
	"<li><b>vlb</b>: a random one. <b>micro</b>: the less loaded of two random ones. "
	"<b>least</b>: the least loaded of all. These balance the links up, at the cost of "
	"collisions on the way down.</li>\n"
	"<li><b>drb</b>, the scheme under test: the one of dmodk, unless a random other one is "
	"shorter by more than a threshold T. <b>drb T=0</b> is the same without threshold.</li>\n"
	"<li><b>rotate</b> and <b>walk</b> go beyond the paper. rotate shifts drb's fixed choice "
	"from slot to slot, by a clock all switches share. walk has no clock: what goes to "
	"destinations that a switch sends to again and again takes the up-links in turn, so that "
	"every link gets an equal share of it on the way down as well.</li></ul>\n"
	"<p>No switch talks to another. Two models are measured: in the <b>flow model</b> each "
	"host "
	"has c flows and the figure is the number of flows on the busiest link (the optimum is c); "
	"in the <b>packet model</b> time runs in slots, a link moves one packet a slot, a host "
	"sends "
	"with probability rho per slot, and the figure is the time from birth to delivery.</p>\n";

// An SVG file as the source of an image: the report needs no other file.
void paper_image(const struct paper *p, FILE *out, const char *name)
{
	char path[4096];
	int c;

	snprintf(path, sizeof(path), "%s/%s.svg", p->dir, name);
	FILE *f = p->plots ? fopen(path, "r") : NULL;
	if (!f)
		return;
	fprintf(out, "<img alt=\"%s\" src=\"data:image/svg+xml,", name);
	while ((c = fgetc(f)) != EOF) {
		if (strchr("%#\"<>&\n\t", c) || c >= 127)
			fprintf(out, "%%%02X", (unsigned)c);
		else
			fputc(c, out);
	}
	fprintf(out, "\">\n");
	fclose(f);
}

static void tree_images(const struct paper *p, FILE *out, const char *prefix)
{
	char name[64];

	for (int i = 0; i < 2; i++) {
		snprintf(name, sizeof(name), "%s-F%u-%u", prefix, paper_trees[i][0],
			 paper_trees[i][1]);
		paper_image(p, out, name);
	}
}

static void claim(FILE *f, bool holds, const char *text)
{
	fprintf(f, "<li><span class=\"%s\">%s</span>: %s</li>\n", holds ? "yes" : "no",
		holds ? "reproduced" : "not reproduced", text);
}

static double flow_load(const struct paper *p, int tree, const char *label, uint32_t c)
{
	const struct paper_point *point = paper_find_flow(p, paper_trees[tree], label, c);

	return point ? paper_flow_summary(point).max_load : NAN;
}

// The claims of the paper, each checked against the figures.
static void flow_claims(const struct paper *p, FILE *f)
{
	static const char *const others[] = {"drb T=0", "micro", "vlb", "dmodk"};
	bool best = true;
	double first = 0, worst = 0; // of c = 1, of the others
	char text[256];

	for (int tree = 0; tree < 2; tree++) {
		for (uint32_t c = 1; c <= 20; c++) {
			const struct paper_point *point =
				paper_find_flow(p, paper_trees[tree], "drb", c);
			if (!point)
				continue;
			double load = paper_flow_summary(point).max_load;
			double estimate =
				drb_estimate_flow(c, point->flow.tree.hosts, point->flow.threshold);
			double *most = c == 1 ? &first : &worst;
			*most = fmax(*most, fabs(load - estimate) / estimate);
			for (size_t i = 0; i < COUNT(others); i++)
				best = best && !(load > flow_load(p, tree, others[i], c));
		}
	}
	fprintf(f, "<ul>\n");
	claim(f, best,
	      "DRB with the paper's threshold has the smallest busiest link of all schemes "
	      "for every c, in both trees.");
	snprintf(text, sizeof(text),
		 "the estimate c + ln ln N / ln 2 + T(c) is close to the simulation from c = 2 on: "
		 "the largest relative error is %.1f %% (up to 15 %% counts).",
		 100 * worst);
	claim(f, worst < 0.15, text);
	snprintf(text, sizeof(text), "and so it is for c = 1: there the relative error is %.1f %%.",
		 100 * first);
	claim(f, first < 0.15, text);
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
		const struct paper_point *first = paper_find_flow(p, paper_trees[0], "drb", c);
		if (!first)
			continue;
		fprintf(f, "<tr><td>%u</td><td>%g</td>", c, first->flow.threshold);
		for (int tree = 0; tree < 2; tree++) {
			const struct paper_point *point =
				paper_find_flow(p, paper_trees[tree], "drb", c);
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

static struct drb_packet_result latency_of(const struct paper *p, int tree, const char *label,
					   double rho)
{
	const struct paper_point *point =
		paper_find_packet(p, PAPER_ITSELF, paper_trees[tree], "permutation", label, rho);

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
	static const char *const labels[] = {"drb", "drb T=0", "micro", "vlb", "dmodk"};
	const char *before = "The queues had not settled by then under ";

	fprintf(f, "<p>Measured are packets born in the last %s slots%s. ",
		p->quick ? "50 of 200" : "500 of 2000",
		p->quick ? " (in the paper: 500 of 2000)" : ", as in the paper");
	for (int tree = 0; tree < 2; tree++) {
		for (size_t i = 0; i < COUNT(labels); i++) {
			double rho = grows_from(p, tree, labels[i]);
			if (isnan(rho))
				continue;
			fprintf(f, "%s%s on F(%u,%u) from rho = %g", before, labels[i],
				paper_trees[tree][0], paper_trees[tree][1], rho);
			before = ", ";
		}
	}
	fprintf(f, *before == ',' ? ": in a longer run these latencies would be higher.</p>\n"
				  : "By then the queues had stopped growing everywhere.</p>\n");
}

static void packet_claims(const struct paper *p, FILE *f)
{
	static const char *const others[] = {"drb T=0", "micro", "vlb", "dmodk"};
	bool mean = true, tail = true, balanced = true;

	for (int tree = 0; tree < 2; tree++) {
		struct drb_packet_result at9 = latency_of(p, tree, "drb", 0.9);
		for (uint32_t percent = 90; percent < 100; percent++) {
			struct drb_packet_result drb = latency_of(p, tree, "drb", percent / 100.0);
			for (size_t i = 0; i < COUNT(others) && !isnan(drb.latency); i++) {
				struct drb_packet_result r =
					latency_of(p, tree, others[i], percent / 100.0);
				mean = mean && drb.latency < r.latency;
				tail = tail && drb.tail < r.tail;
			}
		}
		struct drb_packet_result micro = latency_of(p, tree, "micro", 0.9);
		struct drb_packet_result dmodk = latency_of(p, tree, "dmodk", 0.9);
		balanced = balanced && at9.down_mean[2] < micro.down_mean[2] &&
			   at9.up_mean[1] < dmodk.up_mean[1];
	}
	fprintf(f, "<ul>\n");
	claim(f, mean, "DRB has the lowest mean latency of all schemes at every rho from 0.9.");
	claim(f, tail, "DRB has the lowest tail latency of all schemes at every rho from 0.9.");
	claim(f, balanced,
	      "at rho = 0.9 DRB queues less than micro on the way down and less than "
	      "dmodk on the way up.");
	fprintf(f, "</ul>\n");
}

static const char *const studied_traffic[] = {"permutation", "fixed",    "mixed",   "random",
					      "transpose",   "reversal", "tornado", "hotspot:512"};

static void break_table(const struct paper *p, FILE *f, const uint32_t tree[2])
{
	static const enum drb_scheme schemes[] = {DRB_SCHEME_DRB,    DRB_SCHEME_MICRO,
						  DRB_SCHEME_DMODK,  DRB_SCHEME_LEAST,
						  DRB_SCHEME_ROTATE, DRB_SCHEME_WALK};
	struct drb_traffic_kind kind;
	double largest;

	fprintf(f, "<table><tr><th>F(%u,%u)</th>", tree[0], tree[1]);
	for (size_t s = 0; s < COUNT(schemes); s++)
		fprintf(f, "<th>%s</th>", drb_scheme_name(schemes[s]));
	fprintf(f, "</tr>\n");
	for (size_t t = 0; t < COUNT(studied_traffic); t++) {
		drb_traffic_parse(studied_traffic[t], &kind);
		paper_breaks_at(p, tree, kind, schemes[0], &largest);
		if (isnan(largest))
			continue;
		fprintf(f, "<tr><td>%s</td>", studied_traffic[t]);
		for (size_t s = 0; s < COUNT(schemes); s++) {
			double at = paper_breaks_at(p, tree, kind, schemes[s], &largest);
			if (isnan(at))
				fprintf(f, "<td>stable to %g</td>", largest);
			else
				fprintf(f, "<td class=\"no\">grows from %g</td>", at);
		}
		fprintf(f, "</tr>\n");
	}
	fprintf(f, "</table>\n");
}

// Where the rule found here fails to do what it is for.
static void walk_failures(const struct paper *p, FILE *f)
{
	const char *before = "";
	struct drb_traffic_kind kind;
	double largest;

	fprintf(f, "<p>walk is meant never to grow where micro does not. ");
	for (int tree = 0; tree < (p->quick ? 1 : 3); tree++) {
		for (size_t t = 0; t < COUNT(studied_traffic); t++) {
			drb_traffic_parse(studied_traffic[t], &kind);
			double walk = paper_breaks_at(p, paper_studied[tree], kind, DRB_SCHEME_WALK,
						      &largest);
			double micro = paper_breaks_at(p, paper_studied[tree], kind,
						       DRB_SCHEME_MICRO, &largest);
			if (isnan(walk) || walk >= micro)
				continue;
			fprintf(f, "%sF(%u,%u) under %s at %g", *before ? before : "It did: on ",
				paper_studied[tree][0], paper_studied[tree][1], studied_traffic[t],
				walk);
			before = ", on ";
		}
	}
	fprintf(f, "%s.</p>\n", *before ? "" : "At none of these points it did");
}

static void study(const struct paper *p, FILE *f)
{
	fprintf(f,
		"<h2>Beyond the paper: traffic that persists</h2>\n<p>The paper draws a fresh "
		"permutation every slot. Here hosts also keep their destinations (<i>fixed</i>), "
		"half "
		"of them do (<i>mixed</i>), every packet goes to a random host (<i>random</i>), or "
		"the destinations are chosen to collide (<i>transpose</i>, <i>reversal</i>, "
		"<i>tornado</i>, <i>hotspot:512</i>: half of the packets go to 512 hot hosts). The "
		"tables say the smallest simulated load at which queues kept growing. Where DRB "
		"grows, flows whose default is uncontended fill links on the way down that "
		"redirected packets of others use as well, which no queue on the way up can "
		"show.</p>\n<p>Growing means that more packets were inside in the last quarter "
		"of the slots (%s) than in the third. At 0.99 a fabric that is only filling up may "
		"pass for it. A run whose queues grow ends there, and packets still under way "
		"count with what they have waited: its latency says how long the run was, not how "
		"good the scheme is.</p>\n",
		p->quick ? "800"
			 : "F(3,8): 6000 slots, F(4,6): 3000, "
			   "F(3,24): 1000, above load 0.9 1500");
	for (int i = 0; i < 3; i++) {
		if (!p->quick || i == 0)
			break_table(p, f, paper_studied[i]);
	}
	walk_failures(p, f);
	paper_image(p, f, "study-permutation");
	paper_image(p, f, "study-fixed");
	paper_image(p, f, "study-mixed");
	paper_image(p, f, "study-reversal");
}

static void theory(const struct paper *p, FILE *f)
{
	double worst = 0;
	char text[256];

	fprintf(f, "<h2>Theory</h2>\n<p>In the limit of many queues, with random arrivals at rate "
		   "lambda per queue and random service, the share s<sub>i</sub> of queues with at "
		   "least i packets is the fixed point of the paper's equations; it falls doubly "
		   "exponentially, below the bound z<sub>i</sub>. The chain of 1000 queues is "
		   "simulated event by event.</p>\n"
		   "<table><tr><th>lambda</th><th>T</th><th>mean queue, simulated</th>"
		   "<th>fixed point</th><th>error</th><th>redirected, simulated</th>"
		   "<th>fixed point</th></tr>\n");
	for (uint32_t i = 0; i < p->points; i++) {
		const struct paper_point *point = &p->point[i];
		struct drb_theory th;
		if (point->kind != PAPER_CTMC ||
		    drb_theory_solve(&th, point->ctmc.lambda, point->ctmc.threshold) < 0)
			continue;
		double error = fabs(point->value[0] / th.mean_queue - 1);
		worst = fmax(worst, error);
		fprintf(f,
			"<tr><td>%g</td><td>%g</td><td>%.4f</td><td>%.4f</td><td>%.4f</td>"
			"<td>%.4f</td><td>%.4f</td></tr>\n",
			point->ctmc.lambda, point->ctmc.threshold, point->value[0], th.mean_queue,
			error, point->value[2], th.redirected);
		drb_theory_free(&th);
	}
	snprintf(text, sizeof(text),
		 "simulation and fixed point agree: the largest error is %.2f %% (up to 3 %% "
		 "counts).",
		 100 * worst);
	fprintf(f, "</table><ul>\n");
	claim(f, worst < 0.03, text);
	fprintf(f, "</ul>\n");
	paper_image(p, f, "theory");
}

void paper_html(const struct paper *p)
{
	FILE *f = paper_open(p, "report.html");

	fputs(head, f);
	fprintf(f,
		"<p>drbsim %s, seed %lu%s. Every figure here is in the CSV files beside this "
		"report; the same seed gives the same ones.</p>\n",
		DRB_VERSION, p->common.seed,
		p->quick ? ", <b>quick</b>: few repetitions and short runs, for a look only" : "");
	fputs(introduction, f);
	fprintf(f, "<h2>Flows</h2>\n");
	flow_claims(p, f);
	tree_images(p, f, "flow");
	fprintf(f, "<p>The paper's Table 1, busiest link under DRB against its estimate:</p>\n");
	table_1(p, f);
	fprintf(f, "<h2>Packets</h2>\n");
	packet_claims(p, f);
	settled(p, f);
	tree_images(p, f, "latency");
	fprintf(f,
		"<p>Tail latency is the mean, over slots, of the longest latency among the packets "
		"born in the slot.</p>\n");
	tree_images(p, f, "tail");
	fprintf(f, "<p>Queues of the links by layer, up and down:</p>\n");
	tree_images(p, f, "queue-mean");
	tree_images(p, f, "queue-max");
	study(p, f);
	paper_html_faults(p, f);
	theory(p, f);
	paper_report_cost(p, f);
	fprintf(f, "</body></html>\n");
	paper_close(p, f, "report.html");
}
