// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Runs points on several threads within a limit of memory. sim_pool_add() blocks while the queue is
// full. Rows are reported in the order in which runs end.

#include "sim/engine/model.h"

struct sim_task {
	const struct sim_model *model;
	void *point;
	uint64_t number;
	void *context; // for the caller
	struct sim_outcome outcome;
	struct sim_task *next; // in the queue
};

struct sim_pool;

struct sim_pool_setup {
	uint32_t threads;
	uint64_t memory; // bytes that all runs together may take
	// The number of tasks to come; 0: unknown. If there are fewer tasks than threads, a run
	// gets several threads and more memory.
	uint64_t tasks;
	// Called once for each task that has run, by one thread at a time. The caller owns the task
	// again and frees it.
	void (*done)(void *context, struct sim_task *task);
	// Called after SIGINT, SIGTERM or SIGHUP, never while done() runs. Then the process ends
	// with status 128 + the signal.
	void (*interrupted)(void *context);
	// Called some times a second with the thousandths of tasks that running tasks have done,
	// never while done() runs. NULL: not wanted.
	void (*running)(void *context, uint64_t share);
	void *context;
};

// Ends the process if memory is out. The task owns `point`.
struct sim_task *sim_task_new(const struct sim_model *model, void *point);
void sim_task_free(struct sim_task *task);

// Call it before other threads start, because it blocks the signals that end the process. Ends the
// process if memory is out.
struct sim_pool *sim_pool_new(const struct sim_pool_setup *setup);
// The pool owns the task until done() is called.
void sim_pool_add(struct sim_pool *pool, struct sim_task *task);
// Waits until all tasks are done.
void sim_pool_drain(struct sim_pool *pool);
// Waits until all tasks are done, then ends the threads.
void sim_pool_free(struct sim_pool *pool);
