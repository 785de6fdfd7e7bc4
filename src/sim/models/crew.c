// SPDX-License-Identifier: BSD-3-Clause
#include "sim/models/crew.h"

#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SPINS 2000 // checks before a thread sleeps, for some microseconds

struct thread {
	struct drb_crew *crew;
	uint32_t first; // index of the first of its own items
	pthread_t id;
};

struct drb_crew {
	// The first thread writes these two between jobs. Others read them while they have an item.
	void (*work)(void *context, uint32_t item);
	void *context;
	_Alignas(64) _Atomic uint32_t job; // number of the last job that began
	_Atomic uint32_t sleepers;         // threads that wait for the next job
	_Atomic bool closed;
	_Alignas(64) _Atomic uint32_t left; // items that are not done
	_Atomic bool waiting;               // the first thread sleeps until none is left
	// [item]: the last job in which a thread took it. Owned.
	_Atomic uint32_t *taken;
	uint32_t items;
	struct thread *thread; // all threads but the first; owned
	uint32_t threads;
};

static inline void relax(void)
{
#ifdef __x86_64__
	__builtin_ia32_pause();
#endif
}

// Sleeps while *word is `value`.
static void sleep_on(_Atomic uint32_t *word, uint32_t value)
{
	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void wake(_Atomic uint32_t *word, int threads)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, threads, NULL, NULL, 0);
}

// Takes items of a job, in order from `first` on, and wraps around after the last.
static void take_items(struct drb_crew *crew, uint32_t job, uint32_t first)
{
	for (uint32_t i = 0, item = first; i < crew->items; i++, item++) {
		item = item < crew->items ? item : 0;
		uint32_t last = job - 1;
		// Takes an item only for this job: this fails if the job is over.
		if (atomic_load(&crew->taken[item]) != last ||
		    !atomic_compare_exchange_strong(&crew->taken[item], &last, job))
			continue;
		crew->work(crew->context, item);
		if (atomic_fetch_sub(&crew->left, 1) == 1 && atomic_load(&crew->waiting))
			wake(&crew->left, 1);
	}
}

static void await_job(struct drb_crew *crew, uint32_t last)
{
	atomic_fetch_add(&crew->sleepers, 1);
	while (atomic_load(&crew->job) == last)
		sleep_on(&crew->job, last);
	atomic_fetch_sub(&crew->sleepers, 1);
}

static void *serve(void *arg)
{
	const struct thread *self = arg;
	struct drb_crew *crew = self->crew;
	uint32_t job = 0;

	for (;;) {
		for (int i = 0; i < SPINS && atomic_load(&crew->job) == job; i++)
			relax();
		if (atomic_load(&crew->job) == job)
			await_job(crew, job);
		job = atomic_load(&crew->job);
		if (atomic_load(&crew->closed))
			return NULL;
		take_items(crew, job, self->first);
	}
}

static uint32_t begin_job(struct drb_crew *crew)
{
	const uint32_t job = atomic_fetch_add(&crew->job, 1) + 1;

	if (atomic_load(&crew->sleepers) > 0)
		wake(&crew->job, (int)crew->threads);
	return job;
}

void drb_crew_run(struct drb_crew *crew, void (*work)(void *context, uint32_t item), void *context)
{
	uint32_t left;

	crew->work = work;
	crew->context = context;
	atomic_store(&crew->left, crew->items);
	take_items(crew, begin_job(crew), 0);
	for (int i = 0; i < SPINS && atomic_load(&crew->left) > 0; i++)
		relax();
	atomic_store(&crew->waiting, true);
	while ((left = atomic_load(&crew->left)) > 0)
		sleep_on(&crew->left, left);
	atomic_store(&crew->waiting, false);
}

struct drb_crew *drb_crew_new(uint32_t threads, uint32_t each)
{
	struct drb_crew *crew = aligned_alloc(64, sizeof(*crew));

	if (!crew)
		return NULL;
	*crew = (struct drb_crew){.items = threads * each};
	crew->taken = calloc(crew->items, sizeof(*crew->taken));
	crew->thread = calloc(threads, sizeof(*crew->thread));
	while (crew->taken && crew->thread && crew->threads + 1 < threads) {
		struct thread *t = &crew->thread[crew->threads];
		*t = (struct thread){.crew = crew, .first = (crew->threads + 1) * each};
		if (pthread_create(&t->id, NULL, serve, t) != 0)
			break;
		crew->threads++;
	}
	if (crew->taken && crew->thread)
		return crew;
	drb_crew_free(crew);
	return NULL;
}

void drb_crew_free(struct drb_crew *crew)
{
	if (!crew)
		return;
	atomic_store(&crew->closed, true);
	begin_job(crew);
	for (uint32_t i = 0; i < crew->threads; i++)
		pthread_join(crew->thread[i].id, NULL);
	free(crew->taken);
	free(crew->thread);
	free(crew);
}
