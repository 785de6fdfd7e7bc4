// SPDX-License-Identifier: BSD-3-Clause
#include "switch/datapath/park.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "common/cli/clock.h"
#include "switch/datapath/idle.h"

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

int drb_worker_park(struct drb_worker *w, unsigned order, uint64_t end_ns)
{
	// Either drb_worker_run() sees `park` before its first iteration, or it is seen running
	// here.
	atomic_store(&w->park, order);
	drb_worker_kick(w);
	while (atomic_load(&w->running) && atomic_load(&w->parked) != order) {
		if (drb_clock_now() >= end_ns)
			return -ETIMEDOUT;
		nanosleep(&look_every, NULL);
	}
	return 0;
}

void drb_worker_unpark(struct drb_worker *w)
{
	atomic_store(&w->park, 0);
}

void drb_worker_answer(struct drb_worker *w)
{
	atomic_store_explicit(&w->beat, atomic_load_explicit(&w->beat_wanted, memory_order_relaxed),
			      memory_order_relaxed);
}

void drb_worker_wait_parked(struct drb_worker *w)
{
	unsigned order;

	drb_idle_pause(w);
	// The pause of one order may become that of the next.
	while ((order = atomic_load(&w->park)) != 0) {
		atomic_store(&w->parked, order);
		drb_worker_answer(w);
		nanosleep(&look_every, NULL);
	}
	atomic_store(&w->parked, 0);
}
