// SPDX-License-Identifier: BSD-3-Clause
#include "gen/parallel.h"

#include <pthread.h>
#include <stdatomic.h>

#define THREADS 32

struct job {
	void (*work)(void *context, uint32_t i);
	void *context;
	uint32_t count;
	_Atomic uint32_t next;
};

static void *work_on(void *arg)
{
	struct job *job = arg;

	for (;;) {
		uint32_t i = atomic_fetch_add_explicit(&job->next, 1, memory_order_relaxed);
		if (i >= job->count)
			return NULL;
		job->work(job->context, i);
	}
}

void parallel_for(uint32_t count, void (*work)(void *context, uint32_t i), void *context)
{
	struct job job = {.work = work, .context = context, .count = count};
	pthread_t thread[THREADS];
	uint32_t threads = 0;

	while (threads < THREADS && threads + 1 < count &&
	       pthread_create(&thread[threads], NULL, work_on, &job) == 0)
		threads++;
	work_on(&job);
	for (uint32_t i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
}
