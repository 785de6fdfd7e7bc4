// SPDX-License-Identifier: BSD-3-Clause
// What the paper cites of balls that are thrown into bins, judged by throwing some.
#include "sim/paper/claims_judge.h"

#include <math.h>
#include <stdlib.h>

#include "common/cli/log.h"

#include "core/math/random.h"

#include "sim/paper/points.h"

#define RUNS 20
#define CHOICES_MOST 3

struct throwing {
	uint32_t bins, balls_each, choices;
};

// Each ball goes to the least loaded of so many random bins, the first of those that are equal.
static uint32_t fullest(const struct throwing *t, struct drb_rng *rng, uint32_t load[])
{
	uint64_t balls = (uint64_t)t->bins * t->balls_each;
	uint32_t most = 0;

	for (uint32_t i = 0; i < t->bins; i++)
		load[i] = 0;
	for (uint64_t ball = 0; ball < balls; ball++) {
		uint32_t bin = drb_rng_below(rng, t->bins);
		for (uint32_t i = 1; i < t->choices; i++) {
			uint32_t other = drb_rng_below(rng, t->bins);
			bin = load[other] < load[bin] ? other : bin;
		}
		load[bin]++;
		most = load[bin] > most ? load[bin] : most;
	}
	return most;
}

static struct claim_figure throw_balls(const struct paper *p, const struct throwing *t)
{
	struct sim_sample s = {0};
	uint32_t *load = malloc(t->bins * sizeof(*load));

	if (!load)
		drb_die("not enough memory");
	for (uint32_t run = 0; run < RUNS; run++) {
		struct drb_rng rng = drb_rng_seed(p->common.seed, run);
		sim_sample_add(&s, fullest(t, &rng, load));
	}
	free(load);
	return claim_figure_of(&s);
}

static uint32_t bins_of(int tree)
{
	struct drb_tree t;

	drb_tree_init(&t, paper_trees[tree][0], paper_trees[tree][1]);
	return t.hosts;
}

static void add_bins(struct paper_judgement *j, const struct throwing *t, double margin,
		     struct claim_figure of)
{
	char where[64];

	snprintf(where, sizeof(where), "%u bins, %u balls each, %u choices", t->bins, t->balls_each,
		 t->choices);
	claim_add(j, (struct claim_figure){margin, of.half, of.runs}, where);
}

void judge_bins_one(const struct paper *p, struct paper_judgement *j)
{
	for (int tree = 0; tree < 2; tree++) {
		const struct throwing t = {bins_of(tree), 1, 1};
		struct claim_figure f = throw_balls(p, &t);
		double orders = log(t.bins) / log(log(t.bins));
		add_bins(j, &t, orders - fabs(f.value - orders), f);
	}
}

void judge_bins_two(const struct paper *p, struct paper_judgement *j)
{
	for (int tree = 0; tree < 2; tree++) {
		const struct throwing t = {bins_of(tree), 1, 2};
		struct claim_figure f = throw_balls(p, &t);
		add_bins(j, &t, 2 - fabs(f.value - log(log(t.bins)) / log(2)), f);
	}
}

void judge_bins_third(const struct paper *p, struct paper_judgement *j)
{
	for (int tree = 0; tree < 2; tree++) {
		struct claim_figure of[CHOICES_MOST] = {0};
		struct throwing t = {bins_of(tree), 1, 1};
		for (; t.choices <= CHOICES_MOST; t.choices++)
			of[t.choices - 1] = throw_balls(p, &t);
		double second = of[0].value - of[1].value, third = of[1].value - of[2].value;
		of[0].half = hypot(hypot(of[0].half, 3 * of[1].half), 2 * of[2].half);
		t.choices = CHOICES_MOST;
		add_bins(j, &t, second - 2 * third, of[0]);
	}
}

void judge_bins_heavy(const struct paper *p, struct paper_judgement *j)
{
	static const uint32_t each[] = {1, 5, 10, 20};

	for (int tree = 0; tree < 2; tree++) {
		for (size_t i = 0; i < sizeof(each) / sizeof(each[0]); i++) {
			const struct throwing t = {bins_of(tree), each[i], 2};
			struct claim_figure f = throw_balls(p, &t);
			double about = each[i] + log(log(t.bins)) / log(2);
			add_bins(j, &t, 2 - fabs(f.value - about), f);
		}
	}
}
