// SPDX-License-Identifier: BSD-3-Clause
// Pictures of the fixed point and of chains of queues.
#include "sim/paper/plots.h"

#include <math.h>

#include "sim/paper/figures.h"
#include "sim/paper/points.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define LAMBDA 0.9
#define LEAST 1e-8 // the axis begins there

static void put_share(FILE *f, uint32_t i, double share)
{
	if (share >= LEAST)
		fprintf(f, "point\t%u\t%g\n", i, share);
}

static void fixed_point(FILE *f, double threshold, bool bound)
{
	struct drb_theory th;

	if (drb_theory_solve(&th, LAMBDA, threshold) < 0)
		return;
	for (uint32_t i = 0; i < th.count && i <= 20; i++)
		put_share(f, i, bound ? th.z[i] : th.s[i]);
	drb_theory_free(&th);
}

static void bounds_figure(FILE *f)
{
	static const double threshold[] = {0, 1, 3, 5};
	char label[32], look[8];

	figure_begin(f, "theory",
		     &(struct figure_head){
			     .kind = "lines",
			     .title = "Queues with at least i packets, λ = 0.9",
			     .caption =
				     "Paper, sections 5.2 and 5.3: the fixed point s_i (solid) and "
				     "its bound z_i (dashed), Theorem 3.",
			     .x = "i",
			     .y = "share of queues",
			     .y_more = "\tlog\t1e-8"});
	for (size_t t = 0; t < COUNT(threshold); t++) {
		snprintf(label, sizeof(label), "T = %g", threshold[t]);
		snprintf(look, sizeof(look), "%zu", 2 * t + 1);
		figure_series(f, label, look, NULL);
		fixed_point(f, threshold[t], false);
		snprintf(look, sizeof(look), "%zu", 2 * t + 1);
		figure_series(f, "", look, "dashed");
		fixed_point(f, threshold[t], true);
	}
}

// What chains do at the T next to the paper's, beside the fixed point.
static void chain_figure(const struct paper *p, FILE *f)
{
	const double threshold = floor(drb_threshold_packet(LAMBDA));
	struct paper_chain_runs runs;
	uint32_t count = 0;
	char title[96], label[32], look[8];

	snprintf(title, sizeof(title), "Queues with at least i packets, λ = %g, T = %g", LAMBDA,
		 threshold);
	figure_begin(f, "theory-chain",
		     &(struct figure_head){
			     .kind = "lines",
			     .title = title,
			     .caption = "Paper, section 5.2: the limit of many queues. Bars: 95 % "
					"intervals over seeds.",
			     .x = "i",
			     .y = "share of queues, s_i",
			     .y_more = "\tlog\t1e-8"});
	figure_series(f, "fixed point", "ink", "dashed");
	fixed_point(f, threshold, false);
	for (uint32_t at = 0; count < 8 && paper_chain_next(p, &at, &runs);) {
		if (runs.setup->lambda != LAMBDA || runs.setup->threshold != threshold)
			continue;
		snprintf(label, sizeof(label), "n = %u", runs.setup->queues);
		snprintf(look, sizeof(look), "%u", 2 * count++ + 1);
		figure_series(f, label, look, NULL);
		for (uint32_t i = 0; i <= PAPER_CHAIN_LEVELS; i++) {
			if (runs.s[i].mean >= LEAST)
				figure_sample(f, i, &runs.s[i], false);
		}
	}
}

void figures_of_theory(const struct paper *p, FILE *f)
{
	bounds_figure(f);
	chain_figure(p, f);
}
