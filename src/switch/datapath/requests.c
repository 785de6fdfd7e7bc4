// SPDX-License-Identifier: BSD-3-Clause
#include "switch/datapath/requests.h"

#include <unistd.h>

#include "common/cli/clock.h"
#include "switch/datapath/idle.h"

void drb_worker_kick(struct drb_worker *w)
{
	uint64_t one = 1;

	if (!w->idle.poll && write(w->idle.kick_fd, &one, sizeof(one)) < 0)
		return; // the counter is full: the worker is awake anyway
}

void drb_worker_stop(struct drb_worker *w)
{
	atomic_store_explicit(&w->shared.stop, true, memory_order_relaxed);
	drb_worker_kick(w);
}

unsigned drb_worker_ask(struct drb_worker *w)
{
	const unsigned request = atomic_fetch_add(&w->shared.beat_wanted, 1) + 1;

	drb_worker_kick(w);
	return request;
}

bool drb_worker_has_answered(const struct drb_worker *w, unsigned request)
{
	return (int)(atomic_load(&w->shared.beat) - request) >= 0;
}

void drb_worker_answer(struct drb_worker *w)
{
	// Acquire: a worker that has answered sees all that was written before the request, such as
	// `silent`.
	atomic_store_explicit(&w->shared.beat,
			      atomic_load_explicit(&w->shared.beat_wanted, memory_order_acquire),
			      memory_order_relaxed);
}

void drb_worker_ask_snapshot(struct drb_worker *w)
{
	atomic_fetch_add_explicit(&w->shared.snapshot_wanted, 1, memory_order_release);
	drb_worker_kick(w);
}

bool drb_worker_has_snapshot(const struct drb_worker *w)
{
	return atomic_load_explicit(&w->shared.snapshot_done, memory_order_acquire) ==
	       atomic_load_explicit(&w->shared.snapshot_wanted, memory_order_relaxed);
}

void drb_worker_post(struct drb_worker *w, struct drb_change *change)
{
	w->shared.change = change;
	atomic_fetch_add_explicit(&w->shared.changes_posted, 1, memory_order_release);
	drb_worker_kick(w);
}

bool drb_worker_has_changed(const struct drb_worker *w)
{
	return atomic_load_explicit(&w->shared.changes_made, memory_order_acquire) ==
	       atomic_load_explicit(&w->shared.changes_posted, memory_order_relaxed);
}

void drb_worker_make_change(struct drb_worker *w)
{
	struct drb_change *change = w->shared.change;

	if (change) {
		const uint64_t begin = drb_clock_now();
		if (change->sockets)
			drb_idle_pause(w);
		change->make(w, w->number, change->context);
		w->counters.changes++;
		w->counters.change_ns += drb_clock_now() - begin;
	}
	atomic_fetch_add_explicit(&w->shared.changes_made, 1, memory_order_release);
	drb_worker_tell(w);
}

void drb_worker_tell(const struct drb_worker *w)
{
	const uint64_t one = 1;

	(void)!write(w->told_fd, &one, sizeof(one)); // a full counter wakes the reader as well
}
