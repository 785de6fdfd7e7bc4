// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A thread that repeats a check until it is ended.

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>

struct drb_periodic {
	const char *what; // for messages: what the thread does, such as "asks cards"
	// Called by the thread at multiples of the period on CLOCK_MONOTONIC, so that a CPU wakes
	// once for all processes. It may change the period.
	void (*look)(void *context);
	void *context;
	uint64_t period_ns;
	// Private.
	pthread_t thread;
	sem_t end;
	bool runs;
};

// Returns 0, or -errno with a message printed. *p must not move until drb_periodic_end().
int drb_periodic_begin(struct drb_periodic *p);
// Waits until the thread has ended. Does nothing if it was not started.
void drb_periodic_end(struct drb_periodic *p);
