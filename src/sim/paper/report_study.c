// SPDX-License-Identifier: BSD-3-Clause
// Beyond the paper: traffic that persists.
#include "sim/paper/report_parts.h"

#include <math.h>
#include <string.h>

#include "sim/paper/html.h"
#include "sim/paper/points.h"
#include "sim/paper/study.h"

static bool is_on(const struct paper_place *place, const uint32_t tree[2])
{
	const struct drb_tree *t = &place->setup->tree;

	return t->layers == tree[0] && t->arity == tree[1];
}

// Of one traffic on a fabric: the loads at which the queues of schemes begin to grow.
struct breaks {
	char traffic[DRB_TRAFFIC_NAME_MAX];
	double at[DRB_SCHEME_COUNT];      // NaN: at none
	double largest[DRB_SCHEME_COUNT]; // load of all that it was run at; NaN: it was not
};

static void begin_breaks(struct breaks *b, const char *traffic)
{
	strcpy(b->traffic, traffic);
	for (int s = 0; s < DRB_SCHEME_COUNT; s++)
		b->at[s] = b->largest[s] = NAN;
}

static void add_to_breaks(struct breaks *b, const struct paper_place *place)
{
	for (int s = 0; s < DRB_SCHEME_COUNT; s++) {
		if (place->of[s].runs)
			b->largest[s] =
				fmax(place->setup->rho, isnan(b->largest[s]) ? 0 : b->largest[s]);
		if (place->of[s].growing)
			b->at[s] = fmin(place->setup->rho, isnan(b->at[s]) ? 1 : b->at[s]);
	}
}

static void break_row(FILE *f, const struct breaks *b)
{
	if (!*b->traffic)
		return;
	fprintf(f, "<tr><td>%s</td>", b->traffic);
	for (size_t i = 0; i < PAPER_STUDIED_SCHEMES; i++) {
		enum drb_scheme s = paper_studied_scheme[i];
		if (isnan(b->largest[s]))
			fprintf(f, "<td></td>");
		else if (isnan(b->at[s]))
			fprintf(f, "<td>stable to %g</td>", b->largest[s]);
		else
			fprintf(f, "<td class=\"no\">grows from %g</td>", b->at[s]);
	}
	fprintf(f, "</tr>\n");
}

// Loads of a traffic follow each other.
static void break_table(const struct paper *p, FILE *f, const uint32_t tree[2])
{
	char traffic[DRB_TRAFFIC_NAME_MAX];
	struct breaks breaks = {0};
	struct paper_place place;
	uint32_t at = 0;

	fprintf(f, "<table><tr><th>F(%u,%u)</th>", tree[0], tree[1]);
	for (size_t s = 0; s < PAPER_STUDIED_SCHEMES; s++)
		fprintf(f, "<th>%s</th>", drb_scheme_name(paper_studied_scheme[s]));
	fprintf(f, "</tr>\n");
	while (paper_place_next(p, &at, &place)) {
		if (!is_on(&place, tree))
			continue;
		drb_traffic_format(place.setup->traffic, traffic);
		if (strcmp(traffic, breaks.traffic) != 0) {
			break_row(f, &breaks);
			begin_breaks(&breaks, traffic);
		}
		add_to_breaks(&breaks, &place);
	}
	break_row(f, &breaks);
	fprintf(f, "</table>\n");
}

static void where(FILE *f, const struct paper_place *place)
{
	char traffic[DRB_TRAFFIC_NAME_MAX];

	drb_traffic_format(place->setup->traffic, traffic);
	fprintf(f, "%s at %g", traffic, place->setup->rho);
}

// "1.06 &plusmn; 0.01", or without what one run does not tell.
static void with_interval(FILE *f, const struct sim_sample *s)
{
	double half = sim_sample_half_width(s);

	fprintf(f, "%.3f", s->mean);
	if (!isnan(half))
		fprintf(f, " &plusmn; %.3f", half);
}

static void verdict_row(const struct paper *p, FILE *f, const uint32_t tree[2], bool above)
{
	struct paper_verdict v = paper_verdict(p, tree, above);

	if (v.places == 0)
		return;
	fprintf(f, "<tr><td>F(%u,%u), %s 0.9</td><td>%u</td>", tree[0], tree[1],
		above ? "above" : "up to", v.places);
	fprintf(f, "<td>%u</td><td>%u</td><td>%u</td><td>%u</td>", v.grows[DRB_SCHEME_DRB],
		v.grows[DRB_SCHEME_MICRO], v.grows[DRB_SCHEME_WALK], v.grows_alone);
	fprintf(f, "<td>%u of %u</td><td>", v.within, v.compared);
	if (v.worst.setup) {
		with_interval(f, &v.worst.ratio);
		fprintf(f, ", ");
		where(f, &v.worst);
	}
	fprintf(f, "</td></tr>\n");
}

static void verdicts(const struct paper *p, FILE *f)
{
	fprintf(f,
		"<p>walk next to the others. Places are patterns at loads; a scheme grows at one "
		"if the queues of any run there do. The best of a place is that of drb and micro "
		"with the lower mean latency which does not grow; intervals are of 95 "
		"%%, over the seeds.</p>\n<table><tr><th rowspan=\"2\">loads</th>"
		"<th rowspan=\"2\">places</th><th colspan=\"3\">grows: drb, micro, "
		"walk</th><th rowspan=\"2\">walk, but not micro</th><th rowspan=\"2\">walk "
		"within 5 %% of the best</th><th rowspan=\"2\">worst</th></tr><tr></tr>\n");
	for (int tree = 0; tree < PAPER_STUDIED_TREES; tree++) {
		verdict_row(p, f, paper_studied[tree], false);
		verdict_row(p, f, paper_studied[tree], true);
	}
	fprintf(f, "</table>\n");
}

// Where the rule found here fails to do what it is for.
static void walk_failures(const struct paper *p, FILE *f)
{
	struct paper_place place;
	uint32_t at = 0, grows = 0, slower = 0;

	fprintf(f, "<p>walk is meant never to grow where micro does not. ");
	while (paper_place_next(p, &at, &place)) {
		if (!place.of[DRB_SCHEME_WALK].growing || place.of[DRB_SCHEME_MICRO].growing)
			continue;
		fprintf(f, "%sF(%u,%u), ", grows++ ? "; " : "It did: ", place.setup->tree.layers,
			place.setup->tree.arity);
		where(f, &place);
	}
	fprintf(f, "%s.</p>\n<p>", grows ? "" : "At none of these places it did");
	for (at = 0; paper_place_next(p, &at, &place);) {
		if (place.best == DRB_SCHEME_COUNT || place.ratio.mean <= PAPER_NEAR)
			continue;
		fprintf(f, "%sF(%u,%u), ", slower++ ? "; " : "It is more than 5 % above the best: ",
			place.setup->tree.layers, place.setup->tree.arity);
		where(f, &place);
		fprintf(f, ", ");
		with_interval(f, &place.ratio);
	}
	fprintf(f, "%s.</p>\n", slower ? "" : "Nowhere it is more than 5 % above the best");
}

void report_study(const struct paper *p, FILE *f)
{
	fprintf(f,
		"<h2>Beyond the paper: traffic that persists</h2>\n<p>The paper draws a fresh "
		"permutation every slot. Here hosts also keep their destinations (<i>fixed</i>), "
		"half of them do (<i>mixed</i>), or those of some racks (<i>racks</i>), "
		"permutations take turns (<i>turns</i>) or last for some slots (<i>epoch</i>), "
		"groups of hosts have patterns of their own (<i>jobs</i>), every packet goes to a "
		"random host (<i>random</i>), or the destinations are chosen to collide "
		"(<i>transpose</i>, <i>reversal</i>, <i>tornado</i>, <i>hotspot</i>: half of the "
		"packets go to half of the hosts). The tables say the smallest simulated load at "
		"which queues kept growing. Where DRB grows, flows whose default is uncontended "
		"fill links on the way down that redirected packets of others use as well, which "
		"no queue on the way up can show.</p>\n<p>Growing means that more packets were "
		"inside in the last quarter of the slots (%s) than in the third, or more in any "
		"one queue than chance lets it have. At 0.99 a fabric that is only filling up may "
		"pass for it. A run whose queues grow ends there, and packets still under way "
		"count with what they have waited: its latency says how long the run was, not how "
		"good the scheme is.</p>\n",
		p->quick ? "800"
			 : "F(3,2): 20000 slots, F(3,4): 12000, F(3,8): 6000, F(4,6): 3000, "
			   "F(3,24): 1000, above load 0.9 a third less but for F(3,2); those of "
			   "seeds after the first up to load 0.95 fewer, and where queues grow "
			   "only the first counts");
	for (int i = 0; i < (p->quick ? 1 : PAPER_STUDIED_TREES); i++)
		break_table(p, f, paper_studied[i]);
	verdicts(p, f);
	walk_failures(p, f);
	html_image(p, f, "study-permutation");
	html_image(p, f, "study-fixed");
	html_image(p, f, "study-mixed");
	html_image(p, f, "study-reversal");
	html_image(p, f, "heat-permutation");
	html_image(p, f, "heat-fixed");
}
