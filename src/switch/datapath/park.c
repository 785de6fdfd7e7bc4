// SPDX-License-Identifier: BSD-3-Clause
#include "switch/datapath/park.h"

#include <time.h>
#include <unistd.h>

// How often a parked worker and the thread that parks it look at each other.
static const struct timespec look_every = {.tv_nsec = 20000};

void drb_worker_kick(struct drb_worker *w)
{
	uint64_t one = 1;

	if (!w->poll && write(w->kick_fd, &one, sizeof(one)) < 0)
		return; // the counter is full: the worker is awake anyway
}

void drb_worker_stop(struct drb_worker *w)
{
	atomic_store_explicit(&w->stop, true, memory_order_relaxed);
	drb_worker_kick(w);
}

void drb_worker_park(struct drb_worker *w)
{
	// Either drb_worker_run() sees `park` before its first iteration, or it is seen running
	// here.
	atomic_store(&w->park, true);
	drb_worker_kick(w);
	while (atomic_load(&w->running) && !atomic_load(&w->parked))
		nanosleep(&look_every, NULL);
}

void drb_worker_unpark(struct drb_worker *w)
{
	atomic_store(&w->park, false);
	// So that the next drb_worker_park() does not take this pause for its own.
	while (atomic_load(&w->parked))
		nanosleep(&look_every, NULL);
}

void drb_worker_wait_parked(struct drb_worker *w)
{
	atomic_store(&w->parked, true);
	while (atomic_load(&w->park))
		nanosleep(&look_every, NULL);
	atomic_store(&w->parked, false);
}
