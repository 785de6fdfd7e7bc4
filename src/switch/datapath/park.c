// SPDX-License-Identifier: BSD-3-Clause
#include "switch/datapath/park.h"

#include <time.h>
#include <unistd.h>

#include "switch/datapath/idle.h"

// How often a parked worker looks whether it may go on.
static const struct timespec look_every = {.tv_nsec = DRB_PARK_LOOK_NS};

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

void drb_worker_ask(struct drb_worker *w)
{
	atomic_fetch_add(&w->beat_wanted, 1);
	drb_worker_kick(w);
}

void drb_worker_park(struct drb_worker *w, unsigned order)
{
	// Either drb_worker_run() sees `park` before its first iteration, or it is seen running by
	// drb_worker_is_parked().
	atomic_store(&w->park, order);
	drb_worker_kick(w);
}

bool drb_worker_is_parked(const struct drb_worker *w, unsigned order)
{
	return !atomic_load(&w->running) || atomic_load(&w->parked) == order;
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
