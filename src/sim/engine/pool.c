// SPDX-License-Identifier: BSD-3-Clause
#include "sim/engine/pool.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/cli/log.h"

#define QUEUED 64  // most queued tasks per thread
#define TOGETHER 8 // most points that run together and share their random draws
// Points run together if all of them need at most 1/SMALL_SHARE of a thread's memory.
#define SMALL_SHARE 4
#define LOOK_NS 300000000 // between two calls of running()

// The tasks that a thread runs.
struct at_work {
	struct sim_task *const *task;
	uint32_t count;
};

struct sim_pool {
	struct sim_pool_setup setup;
	pthread_mutex_t lock;   // guards all below
	pthread_mutex_t output; // held while a row is written
	pthread_cond_t added, taken, ended;
	struct sim_task *first, **last; // the queue
	uint32_t queued, running;
	uint64_t memory; // bytes that the running tasks may take
	uint64_t begun;  // tasks so far
	uint32_t busy;   // threads that the running tasks use
	bool closed;
	pthread_t *thread, signals;
	struct at_work *at_work; // [thread]
	uint32_t threads;        // started so far
	uint32_t numbered;       // threads that have their number
};

struct sim_task *sim_task_new(const struct sim_model *model, void *point)
{
	struct sim_task *task = calloc(1, sizeof(*task));

	if (task)
		task->outcome.row = calloc(1, model->row_size);
	if (!task || !task->outcome.row)
		drb_die("not enough memory for a point");
	task->model = model;
	task->point = point;
	return task;
}

void sim_task_free(struct sim_task *task)
{
	for (int i = 0; i < SIM_PARTS_MAX; i++)
		free(task->outcome.part[i].rows);
	for (size_t i = 0; i < sizeof(task->outcome.owned) / sizeof(void *); i++)
		free(task->outcome.owned[i]);
	free(task->outcome.row);
	sim_point_free(task->model, task->point);
	free(task);
}

static uint64_t bytes_of(const struct sim_task *task)
{
	return task->model->bytes ? task->model->bytes(task->point) : 0;
}

// Bytes that a run may take: an equal share of the memory for each run that may be concurrent, or
// more if the run needs more. 0: the run needs more than all memory.
static uint64_t share_of(const struct sim_pool *pool, uint64_t bytes)
{
	const uint64_t tasks = pool->setup.tasks, threads = pool->setup.threads;
	const uint64_t runs = tasks && tasks < threads ? tasks : threads;
	const uint64_t memory = pool->setup.memory, share = memory / runs;

	if (bytes > memory)
		return 0;
	return bytes <= share ? share : memory / (memory / bytes);
}

// Returns the number of threads for the next run: the threads without work, shared equally among
// the waiting tasks, and at least 1.
static uint32_t threads_of(const struct sim_pool *pool)
{
	const uint32_t threads = pool->setup.threads;
	const uint64_t idle = pool->busy < threads ? threads - pool->busy : 1;
	const uint64_t to_come =
		pool->setup.tasks > pool->begun ? pool->setup.tasks - pool->begun : 0;
	const uint64_t waiting = to_come > pool->queued ? to_come : pool->queued;

	return idle > waiting ? (uint32_t)(idle / waiting) : 1;
}

static struct sim_task *pop(struct sim_pool *pool)
{
	struct sim_task *task = pool->first;

	pool->first = task->next;
	if (!pool->first)
		pool->last = &pool->first;
	pool->queued--;
	return task;
}

// Takes the next task, and the tasks behind it that can share its random draws, as long as enough
// tasks remain for the other threads. *share becomes the memory for all of them. Returns the number
// of tasks; 0: the pool is closed and empty.
static uint32_t tasks_take(struct sim_pool *pool, struct sim_task *task[TOGETHER], uint64_t *share)
{
	pthread_mutex_lock(&pool->lock);
	for (;;) {
		while (!pool->first && !pool->closed)
			pthread_cond_wait(&pool->added, &pool->lock);
		if (!pool->first) {
			pthread_mutex_unlock(&pool->lock);
			return 0;
		}
		*share = share_of(pool, bytes_of(pool->first));
		if (pool->running == 0 || pool->memory + *share <= pool->setup.memory)
			break;
		pthread_cond_wait(&pool->ended, &pool->lock);
	}
	const struct sim_model *model = pool->first->model;
	const uint32_t fair = pool->queued / pool->setup.threads;
	const uint64_t each = bytes_of(pool->first) * SMALL_SHARE;
	const uint32_t threads = threads_of(pool);
	uint32_t count = 1;

	task[0] = pop(pool);
	while (model->alike && count < TOGETHER && count < fair && pool->first &&
	       pool->first->model == model && (count + 1) * each <= *share &&
	       model->alike(task[0]->point, pool->first->point))
		task[count++] = pop(pool);
	for (uint32_t i = 0; i < count; i++)
		task[i]->outcome.threads = threads;
	pool->begun += count;
	pool->busy += threads;
	pool->memory += *share;
	pool->running++;
	pthread_cond_broadcast(&pool->taken);
	pthread_mutex_unlock(&pool->lock);
	return count;
}

static void explain(struct sim_task *task, int rc, uint64_t share)
{
	char *error = task->outcome.error;

	if (rc >= 0 || *error)
		return;
	if (share == 0)
		snprintf(error, SIM_ERROR_MAX,
			 "takes %.2f GiB, more than --memory allows: take a smaller fabric",
			 (double)bytes_of(task) / (1 << 30));
	else
		snprintf(error, SIM_ERROR_MAX, "%s", strerror(-rc));
}

static void tasks_run(struct sim_task *const task[], uint32_t count, uint64_t share)
{
	const struct sim_model *model = task[0]->model;
	const void *point[TOGETHER];
	struct sim_outcome *outcome[TOGETHER];
	int rc = -ENOMEM;

	for (uint32_t i = 0; i < count; i++) {
		point[i] = task[i]->point;
		outcome[i] = &task[i]->outcome;
		outcome[i]->memory = share / count;
	}
	if (share && count > 1)
		rc = model->run_alike(point, outcome, count);
	else if (share || !model->bytes)
		rc = model->run(point[0], outcome[0]);
	for (uint32_t i = 0; i < count; i++)
		explain(task[i], rc, share);
}

static void set_at_work(struct sim_pool *pool, uint32_t thread, struct at_work now)
{
	pthread_mutex_lock(&pool->lock);
	pool->at_work[thread] = now;
	pthread_mutex_unlock(&pool->lock);
}

static void *work(void *arg)
{
	struct sim_pool *pool = arg;
	struct sim_task *task[TOGETHER];
	uint64_t share;
	uint32_t count;

	pthread_mutex_lock(&pool->lock);
	const uint32_t self = pool->numbered++;
	pthread_mutex_unlock(&pool->lock);
	while ((count = tasks_take(pool, task, &share)) > 0) {
		const uint32_t threads = task[0]->outcome.threads;
		set_at_work(pool, self, (struct at_work){task, count});
		tasks_run(task, count, share);
		set_at_work(pool, self, (struct at_work){0});
		pthread_mutex_lock(&pool->output);
		for (uint32_t i = 0; i < count; i++)
			pool->setup.done(pool->setup.context, task[i]);
		pthread_mutex_unlock(&pool->output);
		pthread_mutex_lock(&pool->lock);
		pool->memory -= share;
		pool->busy -= threads;
		pool->running--;
		pthread_cond_broadcast(&pool->ended);
		pthread_mutex_unlock(&pool->lock);
	}
	return NULL;
}

static void ending_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
}

// Returns the thousandths of tasks that running tasks have done.
static uint64_t share_at_work(struct sim_pool *pool)
{
	uint64_t share = 0;

	pthread_mutex_lock(&pool->lock);
	for (uint32_t i = 0; i < pool->setup.threads; i++) {
		for (uint32_t k = 0; k < pool->at_work[i].count; k++)
			share += atomic_load_explicit(&pool->at_work[i].task[k]->outcome.share,
						      memory_order_relaxed);
	}
	pthread_mutex_unlock(&pool->lock);
	return share;
}

// Waits for a signal that ends the process, and reports running tasks meanwhile.
static int await_signal(struct sim_pool *pool)
{
	const struct timespec pause = {.tv_nsec = LOOK_NS};
	sigset_t set;
	int signal;

	ending_signals(&set);
	while ((signal = sigtimedwait(&set, NULL, &pause)) < 0) {
		if (!pool->setup.running)
			continue;
		pthread_mutex_lock(&pool->output);
		pool->setup.running(pool->setup.context, share_at_work(pool));
		pthread_mutex_unlock(&pool->output);
	}
	return signal;
}

static void *wait_for_signal(void *arg)
{
	struct sim_pool *pool = arg;
	const int signal = await_signal(pool);

	pthread_mutex_lock(&pool->lock);
	const bool closed = pool->closed;
	pthread_mutex_unlock(&pool->lock);
	if (closed) // all rows are written
		return NULL;
	pthread_mutex_lock(&pool->output);
	pool->setup.interrupted(pool->setup.context);
	fflush(stdout);
	_exit(128 + signal);
}

struct sim_pool *sim_pool_new(const struct sim_pool_setup *setup)
{
	struct sim_pool *pool = calloc(1, sizeof(*pool));
	sigset_t set;

	if (pool)
		pool->thread = calloc(setup->threads, sizeof(*pool->thread));
	if (pool)
		pool->at_work = calloc(setup->threads, sizeof(*pool->at_work));
	if (!pool || !pool->thread || !pool->at_work)
		drb_die("not enough memory for %u threads", setup->threads);
	pool->setup = *setup;
	pool->last = &pool->first;
	pthread_mutex_init(&pool->lock, NULL);
	pthread_mutex_init(&pool->output, NULL);
	pthread_cond_init(&pool->added, NULL);
	pthread_cond_init(&pool->taken, NULL);
	pthread_cond_init(&pool->ended, NULL);
	ending_signals(&set);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	if (pthread_create(&pool->signals, NULL, wait_for_signal, pool) != 0)
		drb_die("cannot start a thread");
	for (; pool->threads < setup->threads; pool->threads++) {
		if (pthread_create(&pool->thread[pool->threads], NULL, work, pool) != 0)
			break;
	}
	if (pool->threads == 0)
		drb_die("cannot start a thread");
	return pool;
}

void sim_pool_add(struct sim_pool *pool, struct sim_task *task)
{
	pthread_mutex_lock(&pool->lock);
	while (pool->queued >= QUEUED * pool->setup.threads)
		pthread_cond_wait(&pool->taken, &pool->lock);
	task->next = NULL;
	*pool->last = task;
	pool->last = &task->next;
	pool->queued++;
	pthread_cond_signal(&pool->added);
	pthread_mutex_unlock(&pool->lock);
}

void sim_pool_drain(struct sim_pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	while (pool->first || pool->running > 0)
		pthread_cond_wait(&pool->ended, &pool->lock);
	pthread_mutex_unlock(&pool->lock);
}

void sim_pool_free(struct sim_pool *pool)
{
	sim_pool_drain(pool);
	pthread_mutex_lock(&pool->lock);
	pool->closed = true;
	pthread_cond_broadcast(&pool->added);
	pthread_mutex_unlock(&pool->lock);
	for (uint32_t i = 0; i < pool->threads; i++)
		pthread_join(pool->thread[i], NULL);
	pthread_kill(pool->signals, SIGTERM); // wakes only the thread that waits for signals
	pthread_join(pool->signals, NULL);
	free(pool->thread);
	free(pool->at_work);
	free(pool);
}
