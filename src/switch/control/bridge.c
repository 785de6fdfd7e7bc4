// SPDX-License-Identifier: BSD-3-Clause
#include "switch/control/bridge.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/cli/log.h"

// On the stack of who waits for it. Under `lock`.
struct request {
	void (*call)(void *context);
	void *context;
	bool done;
	int rc;
	struct request *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t answered = PTHREAD_COND_INITIALIZER;
// Under `lock`: who asks adds, the control thread takes.
static struct request *first, **last = &first;
static int wake_fd = -1; // -1: nobody is served
// Of the control thread.
static struct event *woken;

static void answer(struct request *r, int rc)
{
	pthread_mutex_lock(&lock);
	r->rc = rc;
	r->done = true;
	pthread_cond_broadcast(&answered);
	pthread_mutex_unlock(&lock);
}

static struct request *take(void)
{
	pthread_mutex_lock(&lock);
	struct request *r = first;
	if (r && !(first = r->next))
		last = &first;
	pthread_mutex_unlock(&lock);
	return r;
}

static void serve(int fd, short events, void *unused)
{
	struct request *r;
	uint64_t count;

	(void)events, (void)unused;
	if (read(fd, &count, sizeof(count)) < 0)
		return;
	while ((r = take())) {
		r->call(r->context);
		answer(r, 0);
	}
}

int drb_bridge_run(void (*call)(void *context), void *context)
{
	struct request r = {.call = call, .context = context};
	const uint64_t one = 1;

	pthread_mutex_lock(&lock);
	if (wake_fd < 0 || write(wake_fd, &one, sizeof(one)) < 0) {
		pthread_mutex_unlock(&lock);
		return -ESHUTDOWN;
	}
	*last = &r;
	last = &r.next;
	while (!r.done)
		pthread_cond_wait(&answered, &lock);
	pthread_mutex_unlock(&lock);
	return r.rc;
}

int drb_bridge_begin(struct event_base *base)
{
	const int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	woken = fd < 0 ? NULL : event_new(base, fd, EV_READ | EV_PERSIST, serve, NULL);
	if (!woken || event_add(woken, NULL) < 0) {
		drb_error("no memory for requests");
		return -ENOMEM;
	}
	pthread_mutex_lock(&lock);
	wake_fd = fd;
	pthread_mutex_unlock(&lock);
	return 0;
}

void drb_bridge_end(void)
{
	struct request *r;

	pthread_mutex_lock(&lock);
	const int fd = wake_fd;
	wake_fd = -1;
	pthread_mutex_unlock(&lock);
	while ((r = take()))
		answer(r, -ESHUTDOWN);
	if (woken)
		event_free(woken);
	woken = NULL;
	if (fd >= 0)
		close(fd);
}
