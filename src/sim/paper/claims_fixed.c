// SPDX-License-Identifier: BSD-3-Clause
// What the paper's proofs say of the fixed point on their way, judged on the fixed point: exact.
#include "sim/paper/claims_judge.h"

#include <math.h>

#include "core/math/random.h"

#include "sim/paper/points.h"

#define NEXT_TO_NOTHING 1e-9

static double s_of(const struct drb_theory *th, int64_t i)
{
	if (i <= 0)
		return 1;
	return i < th->count ? th->s[i] : 0;
}

static double p_of(const struct drb_theory *th, int64_t i)
{
	return s_of(th, i) - s_of(th, i + 1);
}

// How far s_i is from lambda s_{i-1}^2 + lambda sum_j p_{j-1} (s_{j-T-more} - s_{i-1}), j = i..i+T-1.
static double distance_from_sum(const struct drb_theory *th, int64_t more)
{
	int64_t t = th->threshold;
	double worst = 0;

	for (int64_t i = 1; i < th->count; i++) {
		double sum = s_of(th, i - 1) * s_of(th, i - 1);
		for (int64_t k = i; k < i + t; k++)
			sum += p_of(th, k - 1) * (s_of(th, k - t - more) - s_of(th, i - 1));
		worst = fmax(worst, fabs(s_of(th, i) - th->lambda * sum));
	}
	return worst;
}

static double as_printed(const struct drb_theory *th)
{
	return NEXT_TO_NOTHING - distance_from_sum(th, 0);
}

static double as_it_follows(const struct drb_theory *th)
{
	return NEXT_TO_NOTHING - distance_from_sum(th, 1);
}

void judge_sum_printed(const struct paper *p, struct paper_judgement *j)
{
	claim_limits(p, j, CLAIM_WITH_THRESHOLD, as_printed);
}

void judge_sum_right(const struct paper *p, struct paper_judgement *j)
{
	claim_limits(p, j, CLAIM_ALL_LIMITS, as_it_follows);
}

static double step_margin(const struct drb_theory *th)
{
	double least = INFINITY;

	for (int64_t i = 1; i < th->count; i++)
		least = fmin(least, th->lambda * s_of(th, i - 1) * s_of(th, i - 1 - th->threshold) -
					    s_of(th, i));
	return least + 1e-12;
}

void judge_step_bound(const struct paper *p, struct paper_judgement *j)
{
	claim_limits(p, j, CLAIM_ALL_LIMITS, step_margin);
}

static double powers_margin(const struct drb_theory *th)
{
	double worst = 0;

	for (uint32_t i = 0; i <= th->threshold + 1 && i < th->count; i++)
		worst = fmax(worst, fabs(th->z[i] - pow(th->lambda, i)));
	return NEXT_TO_NOTHING - worst;
}

void judge_powers(const struct paper *p, struct paper_judgement *j)
{
	claim_limits(p, j, CLAIM_ALL_LIMITS, powers_margin);
}

// Arrivals a time unit at a queue of i packets.
static double arrivals(const struct drb_theory *th, int64_t i)
{
	int64_t t = th->threshold;

	return th->lambda * (s_of(th, i - t) + s_of(th, i + t + 1));
}

static double balance_margin(const struct drb_theory *th)
{
	double worst = 0, departures = 0;

	for (int64_t i = 0; i + 1 < th->count; i++) {
		worst = fmax(worst, fabs(p_of(th, i + 1) - arrivals(th, i) * p_of(th, i)));
		departures += arrivals(th, i) * p_of(th, i);
	}
	return NEXT_TO_NOTHING - fmax(worst, fabs(departures - th->lambda));
}

void judge_balance(const struct paper *p, struct paper_judgement *j)
{
	claim_limits(p, j, CLAIM_ALL_LIMITS, balance_margin);
}

static double joined_margin(const struct drb_theory *th)
{
	double joined = 0;

	for (int64_t i = 0; i < th->count; i++)
		joined += (double)i * p_of(th, i) * arrivals(th, i) / th->lambda;
	return th->mean_queue - joined;
}

void judge_joined(const struct paper *p, struct paper_judgement *j)
{
	claim_limits(p, j, CLAIM_ALL_LIMITS, joined_margin);
}

#define LEVELS 40
#define STATES 500

// A random state: shares of queues with at least i packets, which do not rise with i.
static void draw_state(struct drb_rng *rng, double s[LEVELS])
{
	double fall = drb_rng_unit(rng);

	s[0] = 1;
	for (int i = 1; i < LEVELS; i++)
		s[i] = s[i - 1] * (1 - fall * drb_rng_unit(rng));
}

static double flow_at(const struct drb_theory *of, int64_t i)
{
	return p_of(of, i - 1) * arrivals(of, i - 1) - p_of(of, i);
}

// The least of what is left of (6 lambda + 2) |x - y|, over |x - y|.
static double lipschitz_margin(const struct drb_theory *th)
{
	struct drb_rng rng = drb_rng_seed(1, th->threshold);
	double s[2][LEVELS], least = INFINITY;

	for (int n = 0; n < STATES; n++) {
		struct drb_theory x = *th, y = *th;
		double apart = 0, change = 0;
		draw_state(&rng, s[0]);
		draw_state(&rng, s[1]);
		x.s = s[0];
		y.s = s[1];
		x.count = y.count = LEVELS;
		for (int i = 1; i < LEVELS + (int)th->threshold; i++) {
			apart += fabs(s_of(&x, i) - s_of(&y, i));
			change += fabs(flow_at(&x, i) - flow_at(&y, i));
		}
		least = fmin(least, 6 * th->lambda + 2 - change / apart);
	}
	return least;
}

void judge_lipschitz(const struct paper *p, struct paper_judgement *j)
{
	claim_limits(p, j, CLAIM_ALL_LIMITS, lipschitz_margin);
}
