// SPDX-License-Identifier: BSD-3-Clause
#include "sim/models/transient.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/math/random.h"

#include "drb/threshold.h"

#define LEVELS 96 // longer than any queue
#define STEP 0.1  // time between two samples
#define SMALL_STEPS 20

// Shares of queues with at least i packets; s[0] = 1.
struct shares {
	double s[LEVELS];
};

static double s_at(const struct shares *x, int64_t i)
{
	if (i <= 0)
		return 1;
	return i < LEVELS ? x->s[i] : 0;
}

// F of equation deterministics.
static struct shares flow_at(const struct drb_transient_setup *setup, const struct shares *x)
{
	int64_t t = setup->threshold;
	struct shares f = {{0}};

	for (int64_t i = 1; i < LEVELS; i++) {
		double joins = s_at(x, i - 1 - t) + s_at(x, i + t);
		f.s[i] = setup->lambda * (s_at(x, i - 1) - s_at(x, i)) * joins -
			 (s_at(x, i) - s_at(x, i + 1));
	}
	return f;
}

static struct shares moved(const struct shares *x, const struct shares *f, double time)
{
	struct shares y = *x;

	for (int i = 1; i < LEVELS; i++)
		y.s[i] += time * f->s[i];
	return y;
}

// Runge-Kutta steps of fourth order, up to the next sample.
static void follow(const struct drb_transient_setup *setup, struct shares *x)
{
	const double h = STEP / SMALL_STEPS;

	for (int n = 0; n < SMALL_STEPS; n++) {
		struct shares a = flow_at(setup, x), at = moved(x, &a, h / 2);
		struct shares b = flow_at(setup, &at);
		at = moved(x, &b, h / 2);
		struct shares c = flow_at(setup, &at);
		at = moved(x, &c, h);
		struct shares d = flow_at(setup, &at);
		for (int i = 1; i < LEVELS; i++)
			x->s[i] += h / 6 * (a.s[i] + 2 * b.s[i] + 2 * c.s[i] + d.s[i]);
	}
}

struct chain {
	const struct drb_transient_setup *setup;
	uint32_t *queue;
	uint32_t with[LEVELS]; // queues with at least i packets
	double time;
	struct drb_rng rng;
};

// Runs the paper's chain until a time: n lambda arrivals and n services in a unit of time. A
// service at an empty queue changes nothing.
static void run_until(struct chain *x, double end)
{
	const struct drb_transient_setup *s = x->setup;
	uint32_t margin = drb_margin(s->threshold), n = s->queues;
	double rate = n * (1 + s->lambda), arrives = s->lambda / (1 + s->lambda);

	while (true) {
		// The time to an event after the end is drawn anew in the next call: the chain has
		// no memory.
		x->time -= log(1 - drb_rng_unit(&x->rng)) / rate;
		if (x->time > end)
			break;
		bool arrival = drb_rng_unit(&x->rng) < arrives;
		uint32_t q = drb_rng_below(&x->rng, n);
		if (arrival) {
			uint32_t other = drb_other(n, q, (uint32_t)(drb_rng_next(&x->rng) >> 32));
			q = drb_ttc(margin, q, other, (struct drb_loads){x->queue});
			x->with[++x->queue[q]]++;
		} else if (x->queue[q] > 0) {
			x->with[x->queue[q]--]--;
		}
	}
	x->time = end;
}

static double largest_distance(const struct drb_transient_setup *s, struct chain *chain)
{
	struct shares limit = {{1}};
	double most = 0;

	memset(chain->with, 0, sizeof(chain->with));
	for (uint32_t q = 0; q < s->queues; q++)
		chain->queue[q] = s->start;
	for (uint32_t i = 1; i <= s->start; i++) {
		chain->with[i] = s->queues;
		limit.s[i] = 1;
	}
	chain->time = 0;
	for (int look = 1; look <= (int)lround(s->time / STEP); look++) {
		run_until(chain, look * STEP);
		follow(s, &limit);
		for (int i = 1; i < LEVELS; i++)
			most = fmax(most, fabs((double)chain->with[i] / s->queues - limit.s[i]));
	}
	return most;
}

int drb_transient_run(const struct drb_transient_setup *setup, double *distance)
{
	if (!(setup->lambda > 0 && setup->lambda < 1) || setup->queues < 2 || setup->repeats == 0 ||
	    setup->start > DRB_TRANSIENT_START_MAX)
		return -EINVAL;
	struct chain chain = {.setup = setup, .queue = calloc(setup->queues, sizeof(uint32_t))};

	if (!chain.queue)
		return -ENOMEM;
	*distance = 0;
	for (uint32_t repeat = 0; repeat < setup->repeats; repeat++) {
		chain.rng = drb_rng_seed(setup->seed, repeat);
		*distance += largest_distance(setup, &chain) / setup->repeats;
	}
	free(chain.queue);
	return 0;
}
