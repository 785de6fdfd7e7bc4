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

#include "common/cli/log.h"
#include "switch/ports/memif/doorbell.h"
#include "switch/ports/port.h"

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

#define FORGET_TRIES 2000  // 1 ms apart
#define AGAIN_NS 100000000 // between tries to have workers answer

// A callback of the driver. Freed when unregistered.
struct registered {
	// What EAL knows it by. The driver's own is in EAL's memory, and so is EAL's copy of such a
	// one: its thread would look at it when that memory is gone.
	struct rte_intr_handle *handle;
	rte_intr_callback_fn callback;
	void *arg;
	// Not NULL: unregistered, as soon as it returns, by its thread, which frees it. Set by who is inside the
	// driver, under `list`.
	rte_intr_unregister_callback_fn after;
	struct drb_memif_link *link; // the port that it is of
	struct drb_memif_talk talk;  // what was said on the channel that it reads
	struct registered *next;
};

static struct {
	pthread_mutex_t driver;                  // held while anybody is inside the driver
	pthread_mutex_t list;                    // for `first`; held for a moment only
	struct registered *first;                // all that are registered
	const struct drb_memif_control *control; // NULL: none yet. Under `driver`
	bool closed, waits;                      // under `driver`. The latter: for a worker
} callbacks = {.driver = PTHREAD_MUTEX_INITIALIZER, .list = PTHREAD_MUTEX_INITIALIZER};

// This thread is inside the driver, for this port: what it registers is the driver's. NULL: not.
static _Thread_local struct drb_memif_link *inside;

void drb_memif_enter(struct drb_memif_link *link)
{
	pthread_mutex_lock(&callbacks.driver);
	inside = link;
}

void drb_memif_leave(void)
{
	inside = NULL;
	pthread_mutex_unlock(&callbacks.driver);
}

void drb_memif_set_control(const struct drb_memif_control *control)
{
	pthread_mutex_lock(&callbacks.driver);
	callbacks.control = control;
	pthread_mutex_unlock(&callbacks.driver);
}

// 0, or -ETIMEDOUT, which is said once until they do.
static int have_workers_answer(void)
{
	const struct drb_port_users *users = callbacks.control ? callbacks.control->users : NULL;
	int rc = users ? users->apply(users->workers, NULL, NULL) : 0;

	if (rc < 0 && !callbacks.waits)
		drb_warn("port %s: its memif peer comes or goes, which waits for a worker that is "
			 "stuck or gets no CPU: restart the switch if `drbctl list` says stuck",
			 inside->port);
	callbacks.waits = rc < 0;
	return rc;
}

static void add(struct registered *g)
{
	pthread_mutex_lock(&callbacks.list);
	g->next = callbacks.first;
	callbacks.first = g;
	pthread_mutex_unlock(&callbacks.list);
}

// NULL: any. Who is inside the driver may use what is found, for nobody else unregisters it.
static struct registered *find(rte_intr_callback_fn callback, const void *arg)
{
	struct registered *g;

	pthread_mutex_lock(&callbacks.list);
	for (g = callbacks.first; g; g = g->next) {
		if (!g->after && (!callback || (g->callback == callback && g->arg == arg)))
			break;
	}
	pthread_mutex_unlock(&callbacks.list);
	return g;
}

static void set_after(struct registered *g, rte_intr_unregister_callback_fn after)
{
	pthread_mutex_lock(&callbacks.list);
	g->after = after;
	pthread_mutex_unlock(&callbacks.list);
}

static void unlink_registered(struct registered *gone)
{
	pthread_mutex_lock(&callbacks.list);
	for (struct registered **at = &callbacks.first; *at; at = &(*at)->next) {
		if (*at == gone) {
			*at = gone->next;
			break;
		}
	}
	pthread_mutex_unlock(&callbacks.list);
}

static void release(struct registered *gone)
{
	rte_intr_instance_free(gone->handle);
	free(gone);
}

// By who is inside the driver.
static void drop(struct registered *gone)
{
	unlink_registered(gone);
	drb_memif_talk_over(gone->link, &gone->talk);
	release(gone);
}

static struct registered *new_registered(const struct rte_intr_handle *handle,
					 rte_intr_callback_fn callback, void *arg)
{
	struct registered *g = malloc(sizeof(*g));

	if (!g)
		return NULL;
	*g = (struct registered){.callback = callback, .arg = arg, .link = inside};
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

// A callback that is called: what, and whether it could be.
struct called {
	struct registered *registered;
	int rc;
};

static void call_here(void *arg)
{
	struct called *c = arg;
	struct registered *g = c->registered;

	drb_memif_enter(NULL);
	inside = g->link; // not before: who registers is inside until *g is whole
	// While this waited, main() may have unregistered it.
	if (!callbacks.closed && !g->after && (c->rc = have_workers_answer()) == 0) {
		drb_memif_listen(g->link, &g->talk);
		g->callback(g->arg);
		drb_memif_listen(NULL, NULL);
	}
	drb_memif_leave();
}

static void call(void *arg)
{
	const struct timespec pause = {.tv_nsec = AGAIN_NS};
	struct called called = {.registered = arg};

	pthread_mutex_lock(&callbacks.driver);
	const struct drb_memif_control *control = callbacks.control;
	pthread_mutex_unlock(&callbacks.driver);
	if (!control)
		call_here(&called);
	else if (control->run(call_here, &called) < 0)
		called.rc = -ESHUTDOWN;
	if (called.rc < 0) // EAL calls again as long as there is something to read
		nanosleep(&pause, NULL);
}

// Under a lock of EAL, which who is inside the driver takes: this must not wait to be inside.
static void call_after(struct rte_intr_handle *handle, void *arg)
{
	struct registered *g = arg;

	unlink_registered(g);
	g->after(handle, g->arg);
	release(g);
}

int __wrap_rte_intr_callback_register(const struct rte_intr_handle *handle,
				      rte_intr_callback_fn callback, void *arg)
{
	struct registered *g;
	int rc;

	if (!inside)
		return __real_rte_intr_callback_register(handle, callback, arg);
	g = new_registered(handle, callback, arg);
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
	struct registered *g = find(callback, arg);
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
	struct registered *g = find(callback, arg);
	int rc;

	if (!g)
		return __real_rte_intr_callback_unregister_pending(handle, callback, arg, after);
	drb_memif_talk_over(g->link, &g->talk); // now, on the control thread
	handle = g->handle;
	set_after(g, after); // from now on *g may go, once its thread knows by the following
	rc = __real_rte_intr_callback_unregister_pending(handle, call, g, call_after);
	if (rc < 0)
		set_after(g, NULL);
	return rc;
}

void drb_memif_close(void)
{
	pthread_mutex_lock(&callbacks.driver);
	callbacks.closed = true;
	pthread_mutex_unlock(&callbacks.driver);
}

static bool are_all_gone(void)
{
	pthread_mutex_lock(&callbacks.list);
	const bool gone = !callbacks.first;
	pthread_mutex_unlock(&callbacks.list);
	return gone;
}

void drb_memif_forget(void)
{
	const struct timespec pause = {.tv_nsec = 1000000};

	for (int tries = 0; tries < FORGET_TRIES && !are_all_gone(); tries++) {
		drb_memif_enter(NULL);
		struct registered *g = find(NULL, NULL);
		const bool ended = g && __real_rte_intr_callback_unregister(g->handle, call, g) > 0;
		if (ended)
			drop(g);
		drb_memif_leave();
		if (!ended) // its thread is in it, or about to end it
			nanosleep(&pause, NULL);
	}
}
