// SPDX-License-Identifier: BSD-3-Clause
// Balls thrown into bins, as many as the paper's fat-trees have hosts: what it compares its schemes with.
#include <stdlib.h>

#include "common/cli/log.h"

#include "core/math/random.h"

#include "sim/paper/points.h"
#include "sim/paper/results.h"

#define RUNS 20

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

static void put_throws(FILE *f, const struct throwing *t, uint64_t seed)
{
	uint32_t *load = malloc(t->bins * sizeof(*load));
	double most[RUNS];

	if (!load)
		drb_die("not enough memory");
	for (uint32_t run = 0; run < RUNS; run++) {
		struct drb_rng rng = drb_rng_seed(seed, run);
		most[run] = fullest(t, &rng, load);
	}
	free(load);
	paper_put_kind(f, "bins");
	paper_put_count(f, "bins", t->bins);
	paper_put_count(f, "each", t->balls_each);
	paper_put_count(f, "choices", t->choices);
	paper_put_reals(f, "fullest", most, RUNS);
	fputs("}\n", f);
}

void paper_put_bins(const struct paper *p, FILE *f)
{
	// Balls for each bin, and choices.
	static const uint32_t thrown[][2] = {{1, 1}, {1, 2}, {1, 3}, {5, 2}, {10, 2}, {20, 2}};

	for (int tree = 0; tree < 2; tree++) {
		struct drb_tree t;
		drb_tree_init(&t, paper_trees[tree][0], paper_trees[tree][1]);
		for (size_t i = 0; i < sizeof(thrown) / sizeof(thrown[0]); i++)
			put_throws(f, &(struct throwing){t.hosts, thrown[i][0], thrown[i][1]},
				   p->common.seed);
	}
}
