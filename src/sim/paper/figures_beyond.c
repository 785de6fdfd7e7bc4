// SPDX-License-Identifier: BSD-3-Clause
// Pictures of the studies that go beyond the paper.
#include "sim/paper/plots.h"

#include <string.h>

#include "sim/paper/faults.h"
#include "sim/paper/figures.h"
#include "sim/paper/points.h"
#include "sim/paper/study.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void study_data(const struct paper *p, FILE *f, const char *traffic, enum drb_scheme scheme)
{
	char name[DRB_TRAFFIC_NAME_MAX];
	struct paper_place place;
	uint32_t at = 0;

	while (paper_place_next(p, &at, &place)) {
		const struct drb_tree *t = &place.setup->tree;
		const struct paper_studied *s = &place.of[scheme];
		drb_traffic_format(place.setup->traffic, name);
		if (t->layers == paper_studied[0][0] && t->arity == paper_studied[0][1] &&
		    strcmp(name, traffic) == 0 && s->runs > 0)
			figure_sample(f, place.setup->rho, &s->mean, s->growing > 0);
	}
}

static void study_figure(const struct paper *p, FILE *f, const char *traffic)
{
	char name[64], title[96];

	snprintf(name, sizeof(name), "study-%s", traffic);
	snprintf(title, sizeof(title), "F(3,8), traffic %s", traffic);
	figure_begin(f, name,
		     &(struct figure_head){
			     .kind = "lines",
			     .title = title,
			     .caption = "Beyond the paper: mean latency under traffic that "
					"persists. Bars: 95 % intervals over seeds.",
			     .x = "load",
			     .y = "mean latency, slots",
			     .y_more = "\tlog\t5"});
	for (size_t i = 0; i < PAPER_STUDIED_SCHEMES; i++) {
		const char *label = drb_scheme_name(paper_studied_scheme[i]);
		figure_series(f, label, label, NULL);
		study_data(p, f, traffic, paper_studied_scheme[i]);
	}
}

void figures_of_study(const struct paper *p, FILE *f)
{
	static const char *const traffic[] = {"permutation", "fixed", "mixed", "reversal"};

	for (size_t i = 0; i < COUNT(traffic); i++)
		study_figure(p, f, traffic[i]);
}

// Of what is dead, at the higher load.
enum fault_figure { LATENCY, TAIL, LOST };

static void fault_series(const struct paper *p, FILE *f, bool switches, enum fault_figure which)
{
	for (uint32_t s = 0; s < PAPER_FAULT_SCHEMES; s++) {
		const char *name = drb_scheme_name(paper_fault_scheme[s]);
		figure_series(f, name, name, which == TAIL ? "dashed" : NULL);
		for (uint32_t i = 0; i < PAPER_FAULT_SHARES; i++) {
			struct paper_fault m = paper_fault(p, paper_fault_scheme[s],
							   PAPER_FAULT_LOADS - 1, switches, i);
			const struct sim_sample *of = which == LATENCY ? &m.of_latency
						      : which == TAIL  ? &m.of_tail
								       : &m.of_lost;
			if (m.runs)
				figure_sample(f, 100 * m.share, of, which != LOST && m.growing);
		}
	}
}

static void fault_figure(const struct paper *p, FILE *f, bool switches)
{
	const char *name = switches ? "faults-switches" : "faults-links";

	figure_begin(f, name,
		     &(struct figure_head){
			     .kind = "lines",
			     .title = switches ? "Dead switches, F(3,8), load 0.5"
					       : "Dead links, F(3,8), load 0.5",
			     .caption =
				     "Beyond the paper: latencies beside what is dead. Bars: 95 % "
				     "intervals over draws of what is dead.",
			     .x = switches ? "dead switches, %" : "dead links, %",
			     .y = "slots",
			     .y_more = "\tlog\t5"});
	fprintf(f, "panel\tmean latency\n");
	fault_series(p, f, switches, LATENCY);
	fprintf(f, "panel\ttail latency\n");
	fault_series(p, f, switches, TAIL);
}

void figures_of_faults(const struct paper *p, FILE *f)
{
	fault_figure(p, f, false);
	fault_figure(p, f, true);
	figure_begin(f, "faults-lost",
		     &(struct figure_head){
			     .kind = "lines",
			     .title = "Lost packets, F(3,8), load 0.5",
			     .caption = "Beyond the paper: packets that find no way past what is "
					"dead. Bars: 95 % intervals over draws of what is dead.",
			     .x = "dead, %",
			     .y = "lost packets, %"});
	fprintf(f, "panel\tdead links\n");
	fault_series(p, f, false, LOST);
	fprintf(f, "panel\tdead switches\n");
	fault_series(p, f, true, LOST);
}
