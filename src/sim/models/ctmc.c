// SPDX-License-Identifier: BSD-3-Clause
#include "sim/models/theory.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "core/routing/decide.h"
#include "core/schemes/schemes.h"

#include "drb/threshold.h"

struct chain {
	struct drb_choice choice;
	uint32_t *queue;
	uint64_t packets; // in all queues
	uint64_t arrived, redirected;
};

// One event of the uniformised chain, which has n lambda arrivals and n services in a unit of time.
// A service at an empty queue changes nothing. All events last equally long on average, so averages
// over events are averages over time.
static void event(struct chain *chain, struct drb_rng *rng, double arrives_below)
{
	uint32_t n = chain->choice.uplinks;
	bool arrives = drb_rng_unit(rng) < arrives_below;
	uint32_t q = drb_rng_below(rng, n);

	if (arrives) {
		uint32_t to = drb_choose(&chain->choice, chain->queue, q, 0, drb_rng_next(rng));
		chain->queue[to]++;
		chain->packets++;
		chain->arrived++;
		chain->redirected += to != q;
	} else if (chain->queue[q] > 0) {
		chain->queue[q]--;
		chain->packets--;
	}
}

void drb_ctmc_add_shares(const uint32_t queue[], uint32_t queues, double s[DRB_CTMC_LEVELS])
{
	uint64_t with[DRB_CTMC_LEVELS] = {0}, tail = 0;

	for (uint32_t q = 0; q < queues; q++)
		with[queue[q] < DRB_CTMC_LEVELS ? queue[q] : DRB_CTMC_LEVELS - 1]++;
	for (uint32_t i = DRB_CTMC_LEVELS; i-- > 0;) {
		tail += with[i];
		s[i] += (double)tail / queues;
	}
}

// Sums over samples of the chain: packets in all queues, the squares of these numbers, and the
// squares of each queue's packets.
struct sums {
	double looks, packets, packets_squared, squares;
};

static void add_squares(const struct chain *chain, struct sums *sums)
{
	double packets = (double)chain->packets;

	for (uint32_t q = 0; q < chain->choice.uplinks; q++)
		sums->squares += (double)chain->queue[q] * chain->queue[q];
	sums->packets += packets;
	sums->packets_squared += packets * packets;
	sums->looks++;
}

// The correlation of two queues. All queues have the same distribution, so the variance of their
// sum is n variance + n (n - 1) covariance.
static double correlation(const struct sums *s, double n)
{
	double mean = s->packets / s->looks;
	double of_sum = s->packets_squared / s->looks - mean * mean;
	double of_one = s->squares / s->looks / n - mean * mean / (n * n);

	return (of_sum / n - of_one) / ((n - 1) * of_one);
}

static void measure(struct chain *chain, struct drb_rng *rng, const struct drb_ctmc_setup *setup,
		    struct drb_ctmc_result *result)
{
	double below = setup->lambda / (1 + setup->lambda);
	double events_per_unit = setup->queues * (1 + setup->lambda);
	uint64_t warm_up = (uint64_t)ceil(setup->warm_up * events_per_unit);
	uint64_t events = (uint64_t)ceil(setup->time * events_per_unit);
	struct sums sums = {0};
	double packets = 0;

	for (uint64_t i = 0; i < warm_up; i++)
		event(chain, rng, below);
	chain->arrived = 0;
	chain->redirected = 0;
	for (uint64_t i = 0; i < events; i++) {
		event(chain, rng, below);
		packets += (double)chain->packets;
		if (i % setup->queues == 0) {
			drb_ctmc_add_shares(chain->queue, setup->queues, result->s);
			add_squares(chain, &sums);
		}
	}
	for (uint32_t i = 0; i < DRB_CTMC_LEVELS; i++)
		result->s[i] /= sums.looks;
	result->correlation = correlation(&sums, setup->queues);
	result->mean_queue = packets / (double)events / setup->queues;
	result->mean_time = result->mean_queue / setup->lambda;
	result->redirected = (double)chain->redirected / (double)chain->arrived;
}

int drb_ctmc_run(const struct drb_ctmc_setup *setup, struct drb_ctmc_result *result)
{
	if (!(setup->lambda > 0 && setup->lambda < 1) || !(setup->threshold >= 0) ||
	    setup->queues < 2 || !(setup->warm_up >= 0) || !(setup->time > 0))
		return -EINVAL;
	struct chain chain = {
		.choice = {.ops = drb_scheme_ops(DRB_SCHEME_DRB),
			   .uplinks = setup->queues,
			   .choices = 2,
			   .margin = drb_margin(setup->threshold)},
		.queue = calloc(setup->queues, sizeof(uint32_t)),
	};
	struct drb_rng rng = drb_rng_seed(setup->seed, 0);

	if (!chain.queue)
		return -ENOMEM;
	*result = (struct drb_ctmc_result){0};
	measure(&chain, &rng, setup, result);
	free(chain.queue);
	return 0;
}
