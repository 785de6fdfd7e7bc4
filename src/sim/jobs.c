// SPDX-License-Identifier: BSD-3-Clause
#include "sim.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "common/progress.h"

#include "ranks.h"

struct pool {
	uint64_t count;
	_Atomic uint64_t next, done;
	void (*job)(void *context, uint64_t i, uint32_t thread);
	void *context;
	struct drb_progress *progress; // drawn by thread 0 alone
};

struct worker {
	struct pool *pool;
	uint32_t thread;
	pthread_t id;
};

static void *work(void *arg)
{
	struct worker *w = arg;
	struct pool *pool = w->pool;

	for (;;) {
		uint64_t i = atomic_fetch_add(&pool->next, 1);
		if (i >= pool->count)
			return NULL;
		pool->job(pool->context, i * sim_ranks() + sim_rank(), w->thread);
		uint64_t done = atomic_fetch_add(&pool->done, 1) + 1;
		if (w->thread == 0)
			drb_progress_update(pool->progress, done);
	}
}

void sim_jobs(uint64_t count, uint32_t threads, const char *what,
	      void (*job)(void *context, uint64_t i, uint32_t thread), void *context, void *results,
	      size_t bytes)
{
	struct drb_progress progress;
	struct pool pool = {.job = job, .context = context, .progress = &progress};
	struct worker *worker = calloc(threads, sizeof(*worker));
	struct worker alone = {.pool = &pool};
	uint32_t started = 1;
	// Rank r takes r, r + ranks, ...
	uint64_t share = (count + sim_ranks() - 1 - sim_rank()) / sim_ranks();

	pool.count = share;
	drb_progress_begin(&progress, what, share);
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
