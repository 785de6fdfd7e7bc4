// SPDX-License-Identifier: BSD-3-Clause
#include "sim/runs/jobs.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "common/cli/log.h"
#include "common/cli/progress.h"

#include "sim/runs/ranks.h"

struct pool {
	const struct sim_jobs *jobs;
	uint64_t share;                // of the jobs, for this rank: rank, rank + ranks, ...
	_Atomic uint64_t next, done;   // jobs begun; work done, by cost
	struct drb_progress *progress; // drawn by thread 0 alone
};

struct worker {
	struct pool *pool;
	uint32_t thread;
	pthread_t id;
};

// The number among all jobs of the i-th of this rank.
static uint64_t job_number(uint64_t i)
{
	return i * sim_ranks() + sim_rank();
}

static uint64_t cost_of(const struct sim_jobs *jobs, uint64_t job)
{
	return jobs->cost ? (uint64_t)jobs->cost[job] + 1 : 1;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct pool *pool = w->pool;
	const struct sim_jobs *jobs = pool->jobs;

	for (;;) {
		uint64_t i = atomic_fetch_add(&pool->next, 1);
		if (i >= pool->share)
			return NULL;
		uint64_t job = job_number(i), cost = cost_of(jobs, job);
		jobs->job(jobs->context, job, w->thread);
		uint64_t done = atomic_fetch_add(&pool->done, cost) + cost;
		if (w->thread == 0)
			drb_progress_update(pool->progress, done);
	}
}

// Works on the pool with as many threads as asked for. Without memory or threads the calling thread
// does it all.
static void work_together(struct pool *pool)
{
	uint32_t threads = pool->jobs->threads, started = 1;
	struct worker *worker = calloc(threads, sizeof(*worker));
	struct worker caller = {.pool = pool};

	for (; worker && started < threads && started < pool->share; started++) {
		worker[started] = (struct worker){.pool = pool, .thread = started};
		if (pthread_create(&worker[started].id, NULL, work, &worker[started]) != 0)
			break;
	}
	work(&caller);
	for (uint32_t i = 1; worker && i < started; i++)
		pthread_join(worker[i].id, NULL);
	free(worker);
}

void *sim_results_new(uint64_t count, size_t size)
{
	void *results = calloc(count, size);

	if (!results)
		drb_die("not enough memory for %" PRIu64 " results", count);
	return results;
}

void sim_jobs_run(const struct sim_jobs *jobs)
{
	struct drb_progress progress;
	struct pool pool = {
		.jobs = jobs,
		.share = (jobs->count + sim_ranks() - 1 - sim_rank()) / sim_ranks(),
		.progress = &progress,
	};
	uint64_t total = 0;

	for (uint64_t i = 0; i < pool.share; i++)
		total += cost_of(jobs, job_number(i));
	drb_progress_begin(&progress, jobs->what, total);
	work_together(&pool);
	drb_progress_end(&progress);
	sim_ranks_merge(jobs->results, jobs->result_bytes);
}
