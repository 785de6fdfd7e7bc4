// SPDX-License-Identifier: BSD-3-Clause
#include "sim/runs/sim.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "common/cli/progress.h"

#include "sim/runs/ranks.h"

struct pool {
	uint64_t count;
	const double *cost;          // of all jobs of all ranks, or NULL
	_Atomic uint64_t next, done; // done: by cost
	void (*job)(void *context, uint64_t i, uint32_t thread);
	void *context;
	struct drb_progress *progress; // drawn by thread 0 alone
};

struct worker {
	struct pool *pool;
	uint32_t thread;
	pthread_t id;
};

static uint64_t cost_of(const struct pool *pool, uint64_t job)
{
	return pool->cost ? (uint64_t)pool->cost[job] + 1 : 1;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct pool *pool = w->pool;

	for (;;) {
		uint64_t i = atomic_fetch_add(&pool->next, 1);
		if (i >= pool->count)
			return NULL;
		i = i * sim_ranks() + sim_rank();
		pool->job(pool->context, i, w->thread);
		uint64_t cost = cost_of(pool, i);
		uint64_t done = atomic_fetch_add(&pool->done, cost) + cost;
		if (w->thread == 0)
			drb_progress_update(pool->progress, done);
	}
}

void sim_jobs(uint64_t count, const double cost[], uint32_t threads, const char *what,
	      void (*job)(void *context, uint64_t i, uint32_t thread), void *context, void *results,
	      size_t bytes)
{
	struct drb_progress progress;
	struct pool pool = {.cost = cost, .job = job, .context = context, .progress = &progress};
	struct worker *worker = calloc(threads, sizeof(*worker));
	struct worker alone = {.pool = &pool};
	uint32_t started = 1;
	// Rank r takes r, r + ranks, ...
	uint64_t share = (count + sim_ranks() - 1 - sim_rank()) / sim_ranks();

	uint64_t total = 0;

	pool.count = share;
	for (uint64_t i = 0; i < share; i++)
		total += cost_of(&pool, i * sim_ranks() + sim_rank());
	drb_progress_begin(&progress, what, total);
	// Without memory or threads the calling thread does it all.
	for (; worker && started < threads && started < share; started++) {
		worker[started] = (struct worker){.pool = &pool, .thread = started};
		if (pthread_create(&worker[started].id, NULL, work, &worker[started]) != 0)
			break;
	}
	work(&alone);
	for (uint32_t i = 1; worker && i < started; i++)
		pthread_join(worker[i].id, NULL);
	drb_progress_end(&progress);
	free(worker);
	sim_ranks_merge(results, bytes);
}
