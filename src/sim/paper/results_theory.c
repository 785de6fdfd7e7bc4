// SPDX-License-Identifier: BSD-3-Clause
// Fixed points, and how much the flow to them changes with the state.
#include <math.h>

#include "common/cli/log.h"

#include "core/math/random.h"

#include "sim/paper/results.h"

#define LEVELS 40
#define STATES 500

// Shares of queues with at least i packets, 1 below 1 and 0 from `levels` on.
struct state {
	double s[LEVELS];
};

static double s_of(const struct state *x, int64_t i)
{
	if (i <= 0)
		return 1;
	return i < LEVELS ? x->s[i] : 0;
}

// A random state: shares do not rise with i.
static struct state draw_state(struct drb_rng *rng)
{
	double fall = drb_rng_unit(rng);
	struct state x = {.s = {1}};

	for (int i = 1; i < LEVELS; i++)
		x.s[i] = x.s[i - 1] * (1 - fall * drb_rng_unit(rng));
	return x;
}

// F_i(x) of section 5.2: what comes to queues of i - 1 packets, less what goes from those of i.
static double flow_at(const struct drb_theory *th, const struct state *x, int64_t i)
{
	int64_t t = th->threshold;
	double arrivals = th->lambda * (s_of(x, i - 1 - t) + s_of(x, i + t));

	return (s_of(x, i - 1) - s_of(x, i)) * arrivals - (s_of(x, i) - s_of(x, i + 1));
}

// The largest |F(x) - F(y)| / |x - y| of pairs of random states, sums over all components.
static double steepest(const struct drb_theory *th)
{
	struct drb_rng rng = drb_rng_seed(1, th->threshold);
	double most = 0;

	for (int n = 0; n < STATES; n++) {
		struct state x = draw_state(&rng), y = draw_state(&rng);
		double apart = 0, change = 0;
		for (int i = 1; i < LEVELS + (int)th->threshold; i++) {
			apart += fabs(s_of(&x, i) - s_of(&y, i));
			change += fabs(flow_at(th, &x, i) - flow_at(th, &y, i));
		}
		most = fmax(most, change / apart);
	}
	return most;
}

static void put(FILE *f, double lambda, double threshold)
{
	struct drb_theory th;

	if (drb_theory_solve(&th, lambda, threshold) < 0)
		drb_die("no fixed point of lambda %g, T %g was found", lambda, threshold);
	paper_put_kind(f, "theory");
	paper_put_real(f, "rate", lambda);
	paper_put_real(f, "threshold", threshold);
	paper_put_count(f, "whole", th.threshold);
	paper_put_real(f, "paper_threshold", drb_threshold_packet(lambda));
	paper_put_real(f, "alpha", th.alpha);
	paper_put_real(f, "c", th.c);
	paper_put_real(f, "mean_queue", th.mean_queue);
	paper_put_real(f, "redirected", th.redirected);
	paper_put_real(f, "steepest", steepest(&th));
	paper_put_reals(f, "s", th.s, th.count);
	paper_put_reals(f, "z", th.z, th.count);
	fputs("}\n", f);
	drb_theory_free(&th);
}

// Of a point of a chain or of layers; false: it is of another kind.
static bool find_rates(const struct paper_point *point, double *lambda, double *threshold)
{
	if (point->kind != PAPER_CTMC && point->kind != PAPER_CTMC_LAYERS)
		return false;
	*lambda = point->kind == PAPER_CTMC ? point->ctmc.lambda : point->layers.lambda;
	*threshold = point->kind == PAPER_CTMC ? point->ctmc.threshold : point->layers.threshold;
	return true;
}

static bool is_first(const struct paper *p, uint32_t at, double lambda, double threshold)
{
	for (uint32_t i = 0; i < at; i++) {
		double l, t;
		if (find_rates(&p->point[i], &l, &t) && l == lambda && t == threshold)
			return false;
	}
	return true;
}

void paper_put_theory(const struct paper *p, FILE *f)
{
	double lambda, threshold;

	for (uint32_t i = 0; i < p->points; i++) {
		if (find_rates(&p->point[i], &lambda, &threshold) &&
		    is_first(p, i, lambda, threshold))
			put(f, lambda, threshold);
	}
}
