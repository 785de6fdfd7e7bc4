// SPDX-License-Identifier: BSD-3-Clause
// Claims about the chain of queues and its limit.
#include "sim/paper/claims_judge.h"

#include <math.h>

#include "common/cli/log.h"

#include "sim/paper/points.h"

// A chain, and how its limit is.
struct chain {
	struct paper_chain_runs runs;
	double lambda, threshold;
	double limit; // mean queue of the fixed point
	double s[PAPER_CHAIN_LEVELS + 1];
	char where[64];
};

static bool next_chain(const struct paper *p, uint32_t *at, struct chain *c)
{
	struct drb_theory th;

	if (!paper_chain_next(p, at, &c->runs))
		return false;
	c->lambda = c->runs.setup->lambda;
	c->threshold = c->runs.setup->threshold;
	if (drb_theory_solve(&th, c->lambda, c->threshold) < 0)
		drb_die("no fixed point of lambda %g, T %g was found", c->lambda, c->threshold);
	c->limit = th.mean_queue;
	for (uint32_t i = 0; i <= PAPER_CHAIN_LEVELS; i++)
		c->s[i] = i < th.count ? th.s[i] : 0;
	drb_theory_free(&th);
	snprintf(c->where, sizeof(c->where), "n = %u, lambda = %g, T = %g", c->runs.setup->queues,
		 c->lambda, c->threshold);
	return true;
}

// Of many queues.
static bool next_long_chain(const struct paper *p, uint32_t *at, struct chain *c)
{
	while (next_chain(p, at, c)) {
		if (c->runs.setup->queues == PAPER_CHAIN_QUEUES)
			return true;
	}
	return false;
}

// The mean queue times room(lambda) is less than 1.
static void is_bounded(const struct paper *p, struct paper_judgement *j, bool by_drift)
{
	struct chain c;

	for (uint32_t at = 0; next_chain(p, &at, &c);) {
		struct claim_figure f = claim_figure_of(&c.runs.queue);
		double room = by_drift ? (2 - 2 * c.lambda) / (1 + c.lambda) : 1 - c.lambda;
		claim_add(j, (struct claim_figure){1 - f.value * room, f.half * room, f.runs},
			  c.where);
	}
}

void judge_chain_bound(const struct paper *p, struct paper_judgement *j)
{
	is_bounded(p, j, false);
}

void judge_chain_drift(const struct paper *p, struct paper_judgement *j)
{
	is_bounded(p, j, true);
}

// A queue that is not empty serves one packet a time unit.
void judge_chain_rate(const struct paper *p, struct paper_judgement *j)
{
	struct chain c;

	for (uint32_t at = 0; next_chain(p, &at, &c);) {
		struct claim_figure f = claim_figure_of(&c.runs.s[1]);
		f.value = 0.005 - fabs(f.value - c.lambda);
		claim_add(j, f, c.where);
	}
}

void judge_chain_limit(const struct paper *p, struct paper_judgement *j)
{
	struct chain c;

	for (uint32_t at = 0; next_long_chain(p, &at, &c);) {
		struct claim_figure f = claim_figure_of(&c.runs.queue);
		double limit = c.limit;
		claim_add(j,
			  (struct claim_figure){0.03 - fabs(f.value / limit - 1), f.half / limit,
						f.runs},
			  c.where);
	}
}

void judge_chain_tail(const struct paper *p, struct paper_judgement *j)
{
	struct chain c;

	for (uint32_t at = 0; next_long_chain(p, &at, &c);) {
		for (uint32_t i = 1; i <= PAPER_CHAIN_LEVELS; i++) {
			struct claim_figure f = claim_figure_of(&c.runs.s[i]);
			f.value = 0.01 - fabs(f.value - c.s[i]);
			claim_add(j, f, c.where);
		}
	}
}

// How far the mean queue is from that of the fixed point, relative to it.
static struct claim_figure relative_error(const struct chain *c)
{
	struct claim_figure f = claim_figure_of(&c->runs.queue);

	return (struct claim_figure){fabs(f.value / c->limit - 1), f.half / c->limit, f.runs};
}

// The chain of the same lambda and T with the next larger number of queues; false: there is none.
static bool next_larger(const struct paper *p, const struct chain *few, struct chain *many)
{
	struct chain c;
	bool found = false;

	for (uint32_t at = 0; next_chain(p, &at, &c);) {
		if (c.lambda != few->lambda || c.threshold != few->threshold ||
		    c.runs.setup->queues <= few->runs.setup->queues ||
		    (found && c.runs.setup->queues > many->runs.setup->queues))
			continue;
		*many = c;
		found = true;
	}
	return found;
}

void judge_chain_converges(const struct paper *p, struct paper_judgement *j)
{
	struct chain few, many;

	for (uint32_t at = 0; next_chain(p, &at, &few);) {
		if (!next_larger(p, &few, &many))
			continue;
		struct claim_figure a = relative_error(&few), b = relative_error(&many);
		claim_add(j,
			  (struct claim_figure){a.value - b.value, hypot(a.half, b.half), b.runs},
			  few.where);
	}
}

static struct claim_figure rise(const struct sim_sample *from, const struct sim_sample *to)
{
	struct claim_figure a = claim_figure_of(from), b = claim_figure_of(to);

	return (struct claim_figure){b.value - a.value, hypot(a.half, b.half), b.runs};
}

void judge_chain_threshold(const struct paper *p, struct paper_judgement *j)
{
	struct chain c, last = {0};

	for (uint32_t at = 0; next_long_chain(p, &at, &c); last = c) {
		// Thresholds of a lambda rise.
		if (!last.runs.setup || last.lambda != c.lambda)
			continue;
		claim_add(j, rise(&c.runs.redirected, &last.runs.redirected), c.where);
		claim_add(j, rise(&last.runs.queue, &c.runs.queue), c.where);
	}
}

void judge_chain_power(const struct paper *p, struct paper_judgement *j)
{
	struct claim_figure plain = {0};
	struct chain c;

	for (uint32_t at = 0; next_long_chain(p, &at, &c);) {
		struct claim_figure f = claim_figure_of(&c.runs.queue);
		double lambda = c.lambda, random = lambda / (1 - lambda);
		if (c.threshold == 0)
			plain = f;
		else if (c.threshold <= drb_threshold_packet(lambda))
			claim_add(j,
				  (struct claim_figure){(plain.value + random) / 2 - f.value,
							hypot(plain.half / 2, f.half), f.runs},
				  c.where);
	}
}

void claim_limits(const struct paper *p, struct paper_judgement *j, enum claim_limits which,
		  double (*margin)(const struct drb_theory *th))
{
	struct drb_theory th;
	struct chain c;

	for (uint32_t at = 0; next_long_chain(p, &at, &c);) {
		if (which == (c.threshold == 0 ? CLAIM_WITH_THRESHOLD : CLAIM_PLAIN) ||
		    drb_theory_solve(&th, c.lambda, c.threshold) < 0)
			continue;
		claim_add_exact(j, margin(&th), c.where);
		drb_theory_free(&th);
	}
}

static double closed_form_margin(const struct drb_theory *th)
{
	double worst = 0;

	for (uint32_t i = 0; i < th->count; i++)
		worst = fmax(worst, fabs(th->s[i] - pow(th->lambda, exp2(i) - 1)));
	return 1e-9 - worst;
}

void judge_closed_form(const struct paper *p, struct paper_judgement *j)
{
	claim_limits(p, j, CLAIM_PLAIN, closed_form_margin);
}

static double decay_margin(const struct drb_theory *th)
{
	double least = INFINITY;

	for (uint32_t i = 1; i < th->count; i++) {
		double bound = pow(th->lambda, th->c * pow(th->alpha, i) - 1);
		least = fmin(least, fmin(th->z[i] - th->s[i], bound - th->z[i]));
	}
	return least + 1e-12;
}

void judge_decay(const struct paper *p, struct paper_judgement *j)
{
	claim_limits(p, j, CLAIM_WITH_THRESHOLD, decay_margin);
}

static void add_layer(struct paper_judgement *j, const struct paper_layers_runs *runs, uint32_t m,
		      struct claim_figure margin)
{
	char where[64];

	snprintf(where, sizeof(where), "lambda = %g, T = %.3g, layer %u", runs->setup->lambda,
		 runs->setup->threshold, m);
	claim_add(j, margin, where);
}

void judge_layers_poisson(const struct paper *p, struct paper_judgement *j)
{
	struct paper_layers_runs runs;

	for (uint32_t at = 0; paper_layers_next(p, &at, &runs);) {
		for (uint32_t m = 1; m < runs.setup->layers; m++) {
			struct claim_figure f = claim_figure_of(&runs.departures_cv2[m]);
			f.value = 0.05 - fabs(f.value - 1);
			add_layer(j, &runs, m, f);
		}
	}
}

void judge_layers_equal(const struct paper *p, struct paper_judgement *j)
{
	struct paper_layers_runs runs;

	for (uint32_t at = 0; paper_layers_next(p, &at, &runs);) {
		for (uint32_t m = 2; m < runs.setup->layers; m++) {
			struct claim_figure f = claim_figure_of(&runs.distance[m]);
			f.value = 0.05 - f.value;
			add_layer(j, &runs, m, f);
		}
	}
}
