// SPDX-License-Identifier: BSD-3-Clause
// The driver's calls that register and unregister its callbacks are linked to the ones here
// (ld --wrap), which put a function of ours in between.
// Of DPDK: interrupt handles, in use by its drivers since 21.11 and stable since 23.11.
#define ALLOW_EXPERIMENTAL_API
#include "switch/ports/memif/callbacks.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include <rte_interrupts.h>

#include "switch/ports/memif/doorbell.h"

int __real_rte_intr_callback_register(const struct rte_intr_handle *handle,
				      rte_intr_callback_fn callback, void *arg);
int __real_rte_intr_callback_unregister(const struct rte_intr_handle *handle,
					rte_intr_callback_fn callback, void *arg);
int __real_rte_intr_callback_unregister_pending(const struct rte_intr_handle *handle,
						rte_intr_callback_fn callback, void *arg,
						rte_intr_unregister_callback_fn after);
int __wrap_rte_intr_callback_register(const struct rte_intr_handle *handle,
				      rte_intr_callback_fn callback, void *arg);
int __wrap_rte_intr_callback_unregister(const struct rte_intr_handle *handle,
					rte_intr_callback_fn callback, void *arg);
int __wrap_rte_intr_callback_unregister_pending(const struct rte_intr_handle *handle,
						rte_intr_callback_fn callback, void *arg,
						rte_intr_unregister_callback_fn after);

#define FORGET_TRIES 2000 // 1 ms apart

// A callback of the driver. Freed when unregistered.
struct guarded {
	// What EAL knows it by. The driver's own is in EAL's memory, and so is EAL's copy of such a
	// one: its thread would look at it when that memory is gone.
	struct rte_intr_handle *handle;
	rte_intr_callback_fn callback;
	void *arg;
	rte_intr_unregister_callback_fn after; // not NULL: unregistered, as soon as it returns
	struct drb_memif_link *link;           // the port that it is of
	struct drb_memif_talk talk;            // what was said on the channel that it reads
	struct guarded *next;
};

static struct {
	pthread_mutex_t turn;                    // held while anybody is inside the driver
	pthread_mutex_t list;                    // guards `first`; held for a moment only
	struct guarded *first;                   // all that are registered
	const struct drb_memif_parking *parking; // NULL: no workers yet. Guarded by `turn`
	bool closed;                             // guarded by `turn`
} guard = {.turn = PTHREAD_MUTEX_INITIALIZER, .list = PTHREAD_MUTEX_INITIALIZER};

// This thread is inside the driver, for this port: what it registers is the driver's. NULL: not.
static _Thread_local struct drb_memif_link *inside;

void drb_memif_enter(struct drb_memif_link *link)
{
	pthread_mutex_lock(&guard.turn);
	inside = link;
}

void drb_memif_leave(void)
{
	inside = NULL;
	pthread_mutex_unlock(&guard.turn);
}

void drb_memif_set_parking(const struct drb_memif_parking *parking)
{
	pthread_mutex_lock(&guard.turn);
	guard.parking = parking;
	pthread_mutex_unlock(&guard.turn);
}

void drb_memif_park(void)
{
	if (guard.parking)
		guard.parking->park(guard.parking->workers);
}

void drb_memif_unpark(void)
{
	if (guard.parking)
		guard.parking->unpark(guard.parking->workers);
}

static void add(struct guarded *g)
{
	pthread_mutex_lock(&guard.list);
	g->next = guard.first;
	guard.first = g;
	pthread_mutex_unlock(&guard.list);
}

static struct guarded *find(rte_intr_callback_fn callback, const void *arg)
{
	struct guarded *g;

	pthread_mutex_lock(&guard.list);
	for (g = guard.first; g; g = g->next) {
		if (g->callback == callback && g->arg == arg && !g->after)
			break;
	}
	pthread_mutex_unlock(&guard.list);
	return g;
}

static void drop(struct guarded *gone)
{
	pthread_mutex_lock(&guard.list);
	for (struct guarded **at = &guard.first; *at; at = &(*at)->next) {
		if (*at == gone) {
			*at = gone->next;
			break;
		}
	}
	pthread_mutex_unlock(&guard.list);
	drb_memif_talk_over(gone->link, &gone->talk);
	rte_intr_instance_free(gone->handle);
	free(gone);
}

static struct guarded *new_guarded(const struct rte_intr_handle *handle,
				   rte_intr_callback_fn callback, void *arg)
{
	struct guarded *g = malloc(sizeof(*g));

	if (!g)
		return NULL;
	*g = (struct guarded){.callback = callback, .arg = arg, .link = inside};
	g->handle = rte_intr_instance_alloc(RTE_INTR_INSTANCE_F_PRIVATE);
	if (!g->handle || rte_intr_fd_set(g->handle, rte_intr_fd_get(handle)) < 0 ||
	    rte_intr_type_set(g->handle, rte_intr_type_get(handle)) < 0) {
		rte_intr_instance_free(g->handle);
		free(g);
		return NULL;
	}
	add(g);
	return g;
}

static void call(void *arg)
{
	struct guarded *g = arg;

	drb_memif_enter(g->link);
	// While this waited for its turn, main() may have unregistered it.
	if (!guard.closed && !g->after) {
		drb_memif_park();
		drb_memif_listen(g->link, &g->talk);
		g->callback(g->arg);
		drb_memif_listen(NULL, NULL);
		drb_memif_unpark();
	}
	drb_memif_leave();
}

static void call_after(struct rte_intr_handle *handle, void *arg)
{
	struct guarded *g = arg;

	g->after(handle, g->arg);
	drop(g);
}

int __wrap_rte_intr_callback_register(const struct rte_intr_handle *handle,
				      rte_intr_callback_fn callback, void *arg)
{
	struct guarded *g;
	int rc;

	if (!inside)
		return __real_rte_intr_callback_register(handle, callback, arg);
	g = new_guarded(handle, callback, arg);
	if (!g)
		return -ENOMEM;
	rc = __real_rte_intr_callback_register(g->handle, call, g);
	if (rc < 0)
		drop(g);
	return rc;
}

int __wrap_rte_intr_callback_unregister(const struct rte_intr_handle *handle,
					rte_intr_callback_fn callback, void *arg)
{
	struct guarded *g = find(callback, arg);
	int rc;

	if (!g)
		return __real_rte_intr_callback_unregister(handle, callback, arg);
	rc = __real_rte_intr_callback_unregister(g->handle, call, g);
	if (rc > 0)
		drop(g);
	return rc;
}

int __wrap_rte_intr_callback_unregister_pending(const struct rte_intr_handle *handle,
						rte_intr_callback_fn callback, void *arg,
						rte_intr_unregister_callback_fn after)
{
	struct guarded *g = find(callback, arg);
	int rc;

	if (!g)
		return __real_rte_intr_callback_unregister_pending(handle, callback, arg, after);
	g->after = after;
	rc = __real_rte_intr_callback_unregister_pending(g->handle, call, g, call_after);
	if (rc < 0)
		g->after = NULL;
	else
		drb_memif_talk_over(g->link, &g->talk); // now, that the workers are parked
	return rc;
}

void drb_memif_close(void)
{
	pthread_mutex_lock(&guard.turn);
	guard.closed = true;
	pthread_mutex_unlock(&guard.turn);
}

static struct guarded *first(void)
{
	pthread_mutex_lock(&guard.list);
	struct guarded *g = guard.first;
	pthread_mutex_unlock(&guard.list);
	return g;
}

void drb_memif_forget(void)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	struct guarded *g;

	for (int tries = 0; tries < FORGET_TRIES && (g = first()); tries++) {
		// One that its thread is about to end is freed there; only that thread frees such.
		if (!g->after && __real_rte_intr_callback_unregister(g->handle, call, g) > 0)
			drop(g);
		else
			nanosleep(&pause, NULL);
	}
}
