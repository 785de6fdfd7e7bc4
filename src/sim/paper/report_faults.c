// SPDX-License-Identifier: BSD-3-Clause
#include "sim/paper/report_parts.h"

#include <inttypes.h>
#include <math.h>

#include "sim/models/links.h"
#include "sim/paper/faults.h"
#include "sim/paper/html.h"
#include "sim/paper/study.h"

static void cells(FILE *f, const struct paper_fault *m)
{
	const char *class = m->growing ? " class=\"no\"" : "";

	fprintf(f, "<td%s>%.2f</td><td%s>%.1f</td><td>%.3g %%</td>", class, m->latency, class,
		m->tail, 100 * m->lost);
}

// A row for each share, three columns for each load that was simulated.
static void table(const struct paper *p, FILE *f, bool switches)
{
	uint32_t first = 0;

	while (paper_fault(p, DRB_SCHEME_DRB, first, switches, 0).runs == 0)
		first++;
	fprintf(f, "<table><tr><th rowspan=\"2\">dead %s</th>", switches ? "switches" : "links");
	for (uint32_t l = first; l < PAPER_FAULT_LOADS; l++)
		fprintf(f, "<th colspan=\"3\">rho = %g</th>", paper_fault_load[l]);
	fprintf(f, "</tr><tr>");
	for (uint32_t l = first; l < PAPER_FAULT_LOADS; l++)
		fprintf(f, "<th>mean</th><th>tail</th><th>lost</th>");
	fprintf(f, "</tr>\n");
	for (uint32_t i = 0; i < PAPER_FAULT_SHARES; i++) {
		struct paper_fault m = paper_fault(p, DRB_SCHEME_DRB, first, switches, i);
		if (m.runs == 0)
			continue;
		fprintf(f, "<tr><td>%u (%g %%)</td>", m.dead, 100 * paper_fault_share[i]);
		for (uint32_t l = first; l < PAPER_FAULT_LOADS; l++) {
			m = paper_fault(p, DRB_SCHEME_DRB, l, switches, i);
			cells(f, &m);
		}
		fprintf(f, "</tr>\n");
	}
	fprintf(f, "</table>\n");
}

// Largest share up to which a property of drb at the highest load holds, in percent.
static double holds_up_to(const struct paper *p, bool switches,
			  bool (*property)(const struct paper *p, bool switches, uint32_t i))
{
	double largest = NAN;

	for (uint32_t i = 0; i < PAPER_FAULT_SHARES; i++) {
		if (paper_fault(p, DRB_SCHEME_DRB, PAPER_FAULT_LOADS - 1, switches, i).runs == 0)
			continue;
		if (!property(p, switches, i))
			break;
		largest = 100 * paper_fault_share[i];
	}
	return largest;
}

static bool loses_nothing(const struct paper *p, bool switches, uint32_t i)
{
	return paper_fault(p, DRB_SCHEME_DRB, PAPER_FAULT_LOADS - 1, switches, i).lost == 0;
}

static bool is_fastest(const struct paper *p, bool switches, uint32_t i)
{
	double drb = paper_fault(p, DRB_SCHEME_DRB, PAPER_FAULT_LOADS - 1, switches, i).latency;

	return drb < paper_fault(p, DRB_SCHEME_MICRO, PAPER_FAULT_LOADS - 1, switches, i).latency &&
	       drb < paper_fault(p, DRB_SCHEME_DMODK, PAPER_FAULT_LOADS - 1, switches, i).latency;
}

static bool does_not_grow(const struct paper *p, bool switches, uint32_t i)
{
	return paper_fault(p, DRB_SCHEME_DRB, PAPER_FAULT_LOADS - 1, switches, i).growing == 0;
}

static void findings(const struct paper *p, FILE *f)
{
	static const char *const what[] = {"links", "switches"};

	fprintf(f, "<p>What this says of drb at rho = %g:</p><ul>\n",
		paper_fault_load[PAPER_FAULT_LOADS - 1]);
	for (int k = 0; k < 2; k++) {
		struct paper_fault none =
			paper_fault(p, DRB_SCHEME_DRB, PAPER_FAULT_LOADS - 1, k, 0);
		struct paper_fault most = paper_fault(p, DRB_SCHEME_DRB, PAPER_FAULT_LOADS - 1, k,
						      PAPER_FAULT_SHARES - 1);
		fprintf(f,
			"<li>Dead %s: up to %g %% nothing is lost, with %g %% dead one packet in "
			"%.0f. The mean latency rises from %.1f to %.1f slots; up to %g %% it is "
			"below that of micro and dmodk, and up to %g %% no queue keeps "
			"growing.</li>\n",
			what[k], holds_up_to(p, k, loses_nothing), 100 * most.share, 1 / most.lost,
			none.latency, most.latency, holds_up_to(p, k, is_fastest),
			holds_up_to(p, k, does_not_grow));
	}
	fprintf(f, "</ul>\n");
}

void report_faults(const struct paper *p, FILE *f)
{
	struct drb_tree t;

	drb_tree_init(&t, paper_studied[0][0], paper_studied[0][1]);
	fprintf(f,
		"<h2>Beyond the paper: dead links and switches</h2>\n<p>Here links between "
		"switches, or switches above layer 1 with all their links, are dead from the first "
		"slot on, drawn at random; F(%u,%u) has %" PRIu64 " such links and %" PRIu64
		" such switches. Traffic is a fresh permutation every slot; a "
		"figure is the mean of %u draws. A switch knows of "
		"its own ports only. A dead uplink is left out of every choice and costs no hop. "
		"A packet whose path down is dead takes a detour: down to another switch below, "
		"which sends it up by another uplink. That takes two more hops at a dead link and "
		"up to six at a dead switch; what finds no path within six is lost.</p>\n"
		"<p>Latency of drb in slots (in red: the queues of at least one draw were still "
		"growing at the end, so a longer run would give more):</p>\n",
		t.layers, t.arity, drb_links_between(&t), drb_fail_switches(&t), p->seeds);
	table(p, f, false);
	table(p, f, true);
	findings(p, f);
	fprintf(f,
		"<p>A dead switch costs more than as many dead links in share: all paths to the "
		"switches below it that pass it fail at once, its detours are longer, and they "
		"meet in the few switches beside it. One dead switch already gives a long tail.%s "
		"walk decides as drb does there.</p>\n",
		p->quick ? "" : " A lighter load leaves room for the detours.");
	html_image(p, f, "faults-links");
	html_image(p, f, "faults-switches");
	html_image(p, f, "faults-lost");
}
