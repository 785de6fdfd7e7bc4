// SPDX-License-Identifier: BSD-3-Clause
#include "sim/models/theory.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define LEVELS 65536 // longest queue considered: at lambda = 0.999, lambda^i is 1e-28 there
#define ROUNDS 100000
#define SMALLEST 1e-30

// Root alpha > 1 of alpha^(T+1) = alpha^T + 1, by bisection. It is 2 at T = 0, and approaches 1 as
// T grows.
static double decay_base(uint32_t t)
{
	double low = 1, high = 2;

	for (int i = 0; i < 200; i++) {
		double a = (low + high) / 2;
		if ((a - 1) * pow(a, t) < 1)
			low = a;
		else
			high = a;
	}
	return (low + high) / 2;
}

static double decay_factor(uint32_t t, double alpha)
{
	double c = INFINITY;

	for (uint32_t i = 0; i <= t + 1; i++)
		c = fmin(c, (i + 1) / pow(alpha, i));
	return c;
}

static double s_at(const double s[], uint32_t count, int64_t i)
{
	if (i <= 0)
		return 1;
	return i < count ? s[i] : 0;
}

// The stationary distribution of one queue if the others are in state s: p_i = lambda p_{i-1}
// (s_{i-T-1} + s_{i+T}) of equation (fluid-limit). Writes it into next[] as tail sums, and returns
// the largest change.
static double sweep(double lambda, uint32_t t, const double s[], double next[], uint32_t count)
{
	double sum = 1, change = 0;

	next[0] = 1;
	for (uint32_t i = 1; i < count; i++) {
		double rate = lambda *
			      (s_at(s, count, (int64_t)i - t - 1) + s_at(s, count, (int64_t)i + t));
		next[i] = next[i - 1] * rate;
		sum += next[i];
	}
	double tail = 0;
	for (uint32_t i = count; i-- > 0;) {
		tail += next[i] / sum;
		next[i] = i ? tail : 1;
		change = fmax(change, fabs(next[i] - s[i]));
	}
	return change;
}

static bool settle(struct drb_theory *th, double *next)
{
	for (int round = 0; round < ROUNDS; round++) {
		double change = sweep(th->lambda, th->threshold, th->s, next, th->count);
		// Half a step, because whole steps overshoot at large thresholds.
		for (uint32_t i = 0; i < th->count; i++)
			th->s[i] = (th->s[i] + next[i]) / 2;
		if (change < 1e-14)
			return true;
	}
	return false;
}

static void fill_bound(struct drb_theory *th)
{
	th->z[0] = 1;
	for (uint32_t i = 1; i < th->count; i++)
		th->z[i] =
			th->lambda * th->z[i - 1] * s_at(th->z, i, (int64_t)i - th->threshold - 1);
}

static void sum_up(struct drb_theory *th)
{
	for (uint32_t i = 1; i < th->count; i++)
		th->mean_queue += th->s[i];
	th->mean_time = th->mean_queue / th->lambda;
	for (uint32_t i = 0; i < th->count; i++)
		th->redirected += (th->s[i] - s_at(th->s, th->count, (int64_t)i + 1)) *
				  s_at(th->s, th->count, (int64_t)i + th->threshold + 1);
}

int drb_theory_solve(struct drb_theory *th, double lambda, double threshold)
{
	if (!(lambda > 0 && lambda < 1) ||
	    !(threshold >= 0 && threshold <= DRB_THEORY_THRESHOLD_MAX))
		return -EINVAL;
	*th = (struct drb_theory){.lambda = lambda, .threshold = (uint32_t)threshold};
	double *next = malloc(LEVELS * sizeof(double));
	th->s = malloc(LEVELS * sizeof(double));
	th->z = malloc(LEVELS * sizeof(double));
	if (!next || !th->s || !th->z) {
		free(next);
		drb_theory_free(th);
		return -ENOMEM;
	}
	// The bound is the first guess. It also tells how many levels are needed.
	th->count = LEVELS;
	fill_bound(th);
	th->count = 1;
	while (th->count < LEVELS && th->z[th->count] > SMALLEST)
		th->count++;
	for (uint32_t i = 0; i < th->count; i++)
		th->s[i] = th->z[i];
	bool settled = settle(th, next);
	free(next);
	if (!settled) {
		drb_theory_free(th);
		return -ERANGE;
	}
	while (th->count > 1 && th->s[th->count - 1] < SMALLEST)
		th->count--;
	th->alpha = decay_base(th->threshold);
	th->c = decay_factor(th->threshold, th->alpha);
	sum_up(th);
	return 0;
}

void drb_theory_free(struct drb_theory *th)
{
	free(th->s);
	free(th->z);
	th->s = NULL;
	th->z = NULL;
}
