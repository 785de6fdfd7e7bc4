// SPDX-License-Identifier: BSD-3-Clause
// Beyond the paper: traffic that persists.
#include "sim/paper/report_parts.h"

#include <math.h>

#include "sim/paper/html.h"
#include "sim/paper/points.h"

static void break_table(const struct paper *p, FILE *f, const uint32_t tree[2])
{
	struct drb_traffic_kind kind;
	double largest;

	fprintf(f, "<table><tr><th>F(%u,%u)</th>", tree[0], tree[1]);
	for (size_t s = 0; s < PAPER_STUDIED_SCHEMES; s++)
		fprintf(f, "<th>%s</th>", drb_scheme_name(paper_studied_scheme[s]));
	fprintf(f, "</tr>\n");
	for (size_t t = 0; t < PAPER_STUDIED_TRAFFIC; t++) {
		drb_traffic_parse(paper_studied_traffic[t], &kind);
		paper_grows_at(p, tree, kind, paper_studied_scheme[0], &largest);
		if (isnan(largest))
			continue;
		fprintf(f, "<tr><td>%s</td>", paper_studied_traffic[t]);
		for (size_t s = 0; s < PAPER_STUDIED_SCHEMES; s++) {
			double at =
				paper_grows_at(p, tree, kind, paper_studied_scheme[s], &largest);
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
		for (size_t t = 0; t < PAPER_STUDIED_TRAFFIC; t++) {
			drb_traffic_parse(paper_studied_traffic[t], &kind);
			double walk = paper_grows_at(p, paper_studied[tree], kind, DRB_SCHEME_WALK,
						     &largest);
			double micro = paper_grows_at(p, paper_studied[tree], kind,
						      DRB_SCHEME_MICRO, &largest);
			if (isnan(walk) || walk >= micro)
				continue;
			fprintf(f, "%sF(%u,%u) under %s at %g", *before ? before : "It did: on ",
				paper_studied[tree][0], paper_studied[tree][1],
				paper_studied_traffic[t], walk);
			before = ", on ";
		}
	}
	fprintf(f, "%s.</p>\n", *before ? "" : "At none of these points it did");
}

void report_study(const struct paper *p, FILE *f)
{
	fprintf(f,
		"<h2>Beyond the paper: traffic that persists</h2>\n<p>The paper draws a fresh "
		"permutation every slot. Here hosts also keep their destinations (<i>fixed</i>), "
		"half "
		"of them do (<i>mixed</i>), or those of some racks (<i>racks</i>), permutations "
		"take turns (<i>turns</i>) or last for some slots (<i>epoch</i>), groups of hosts "
		"have patterns of their own (<i>jobs</i>), every packet goes to a random host "
		"(<i>random</i>), or "
		"the destinations are chosen to collide (<i>transpose</i>, <i>reversal</i>, "
		"<i>tornado</i>, <i>hotspot:512</i>: half of the packets go to 512 hot hosts). The "
		"tables say the smallest simulated load at which queues kept growing. Where DRB "
		"grows, flows whose default is uncontended fill links on the way down that "
		"redirected packets of others use as well, which no queue on the way up can "
		"show.</p>\n<p>Growing means that more packets were inside in the last quarter "
		"of the slots (%s) than in the third, or more in any one queue than chance lets it "
		"have. At 0.99 a fabric that is only filling up may "
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
	html_image(p, f, "study-permutation");
	html_image(p, f, "study-fixed");
	html_image(p, f, "study-mixed");
	html_image(p, f, "study-reversal");
}
