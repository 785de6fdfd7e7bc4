// SPDX-License-Identifier: BSD-3-Clause
#include "sim/paper/report.h"

#include <inttypes.h>
#include <stdio.h>

#include "sim/paper/cost.h"
#include "sim/paper/output.h"
#include "sim/paper/report_parts.h"

static const char head[] =
	"<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
	"<title>Randomized load-balanced routing in fat-trees: what was reproduced</title>\n"
	"<style>:root{color-scheme:light dark;--line:#bbb;--head:#eee;--yes:#060;--open:#850;"
	"--no:#a00}"
	"@media(prefers-color-scheme:dark){:root{--line:#444;--head:#222;--yes:#6c6;--open:#da6;"
	"--no:#f77}body{background:#15181c;color:#dfe3e8}a{color:#8ab4f8}}"
	"body{font:16px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em}"
	"table{border-collapse:collapse;margin:1em 0}td,th{border:1px solid var(--line);"
	"padding:.2em .6em;text-align:right}th{background:var(--head)}"
	"td:first-child,th:first-child{text-align:left}"
	"figure{display:inline-block;width:48%;margin:0 1% 1em 0;vertical-align:top}"
	"img{width:100%}figcaption{font-size:.85em;line-height:1.35}td.text{text-align:left}"
	".yes{color:var(--yes)}.open{color:var(--open)}"
	".no{color:var(--no);font-weight:bold}</style></head><body>\n"
	"<h1>Randomized load-balanced routing in fat-trees: what was reproduced</h1>\n";

static const char introduction[] =
	"<p>A <b>fat-tree</b> F(l,d) connects 2d<sup>l</sup> hosts by l layers of equal switches "
	"with 2d ports. A packet first climbs, and any uplink will do; from its highest switch "
	"there is exactly one way down to its destination. A routing scheme is therefore the rule "
	"by which a switch picks an uplink:</p><ul>\n"
	"<li><b>dmodk</b>: a fixed one per destination. Ways down to different destinations then "
	"never share a link, but many packets may want the same uplink.</li>\n"
	"<li><b>vlb</b>: a random one. <b>micro</b>: the less loaded of two random ones. "
	"<b>least</b>: the least loaded of all. These balance the links up, at the cost of "
	"collisions on the way down.</li>\n"
	"<li><b>drb</b>, the scheme under test: the one of dmodk, unless a random other one is "
	"shorter by more than a threshold T. <b>drb T=0</b> is the same without threshold.</li>\n"
	"<li><b>walk</b> goes beyond the paper: as drb, but while the "
	"fixed choices overflow uplinks, packets take the uplinks in turn, so that every link "
	"gets an equal share on the way down as well; marks in the packets tell the switches that "
	"get them to do the same.</li></ul>\n"
	"<p>No switch talks to another. Two models are measured: in the <b>flow model</b> each "
	"host has c flows and the figure is the number of flows on the busiest link (the optimum "
	"is c); in the <b>packet model</b> time runs in slots, a link moves one packet a slot, a "
	"host sends with probability rho per slot, and the figure is the time from birth to "
	"delivery.</p>\n";

static void report_cost(const struct paper *p, FILE *f)
{
	struct paper_cost cost[PAPER_COSTS];
	uint32_t costs = paper_costs(p, cost);
	double cpu = 0;

	fprintf(f, "<h2>What it took</h2>\n<table><tr><th>part</th><th>points</th>"
		   "<th>CPU seconds</th><th>longest point</th></tr>\n");
	for (uint32_t i = 0; i < costs; i++) {
		fprintf(f, "<tr><td>%s</td><td>%u</td><td>%.1f</td><td>%.1f</td></tr>\n",
			cost[i].name, cost[i].points, cost[i].cpu, cost[i].longest);
		cpu += cost[i].cpu;
	}
	fprintf(f,
		"</table>\n<p>Together %.1f CPU minutes in %u runs of a model, of which as many go "
		"on at once as there are CPUs.</p>\n",
		cpu / 60, p->points);
}

void paper_report(const struct paper *p)
{
	FILE *f = paper_open(p, "report.html");

	fputs(head, f);
	fprintf(f,
		"<p>drbsim %s, seed %" PRIu64
		"%s. Every figure here is in the CSV files beside this "
		"report; the same seed gives the same ones.</p>\n",
		DRB_VERSION, p->common.seed,
		p->quick ? ", <b>quick</b>: few repetitions and short runs, for a look only" : "");
	fputs(introduction, f);
	report_claims(p, f);
	report_flows(p, f);
	report_packets(p, f);
	report_study(p, f);
	report_faults(p, f);
	report_theory(p, f);
	report_cost(p, f);
	fprintf(f, "</body></html>\n");
	paper_close(p, f, "report.html");
}
