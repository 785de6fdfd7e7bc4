// SPDX-License-Identifier: BSD-3-Clause
#include "switch/control/background.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/cli/log.h"

struct drb_background_task {
	STAILQ_ENTRY(drb_background_task) link;
	void (*work)(void *context), (*done)(void *context);
	void *context;
};

static struct drb_background_task *task_take(struct drb_background_tasks *tasks)
{
	struct drb_background_task *t = STAILQ_FIRST(tasks);

	if (t)
		STAILQ_REMOVE_HEAD(tasks, link);
	return t;
}

// Waits for a task and returns it. NULL: the switch ends, and no task is left.
static struct drb_background_task *next_task(struct drb_background *b)
{
	struct drb_background_task *t;

	pthread_mutex_lock(&b->lock);
	while (!(t = task_take(&b->waiting)) && !b->ends)
		pthread_cond_wait(&b->more, &b->lock);
	pthread_mutex_unlock(&b->lock);
	return t;
}

static void *background_loop(void *background)
{
	const uint64_t one = 1;
	struct drb_background *b = background;
	struct drb_background_task *t;

	pthread_setname_np(pthread_self(), "background");
	while ((t = next_task(b))) {
		t->work(t->context);
		pthread_mutex_lock(&b->lock);
		STAILQ_INSERT_TAIL(&b->finished, t, link);
		pthread_mutex_unlock(&b->lock);
		(void)!write(b->fd, &one, sizeof(one));
	}
	return NULL;
}

static struct drb_background_task *take_finished(struct drb_background *b)
{
	struct drb_background_task *t;

	pthread_mutex_lock(&b->lock);
	t = task_take(&b->finished);
	pthread_mutex_unlock(&b->lock);
	return t;
}

static void tasks_finish(int fd, short events, void *background)
{
	struct drb_background *b = background;
	struct drb_background_task *t;
	uint64_t count;

	(void)events;
	(void)!read(fd, &count, sizeof(count));
	while ((t = take_finished(b))) {
		b->open--;
		t->done(t->context);
		free(t);
	}
}

int drb_background_open(struct drb_background *b, struct event_base *base)
{
	int rc = 0;

	STAILQ_INIT(&b->waiting);
	STAILQ_INIT(&b->finished);
	pthread_mutex_init(&b->lock, NULL);
	pthread_cond_init(&b->more, NULL);
	b->ends = false;
	b->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (b->fd < 0)
		rc = errno;
	if (rc == 0)
		b->told = event_new(base, b->fd, EV_READ | EV_PERSIST, tasks_finish, b);
	if (rc == 0 && (!b->told || event_add(b->told, NULL) < 0))
		rc = ENOMEM;
	if (rc == 0)
		rc = pthread_create(&b->thread, NULL, background_loop, b);
	if (rc > 0)
		drb_error("cannot start the thread for calls that may wait: %s", strerror(rc));
	return -rc;
}

void drb_background_run(struct drb_background *b, void (*work)(void *context),
			void (*done)(void *context), void *context)
{
	struct drb_background_task *t = malloc(sizeof(*t));

	if (!t) {
		work(context);
		done(context);
		return;
	}
	*t = (struct drb_background_task){.work = work, .done = done, .context = context};
	b->open++;
	pthread_mutex_lock(&b->lock);
	STAILQ_INSERT_TAIL(&b->waiting, t, link);
	pthread_mutex_unlock(&b->lock);
	pthread_cond_signal(&b->more);
}

void drb_background_settle(struct drb_background *b)
{
	struct pollfd finished = {.fd = b->fd, .events = POLLIN};

	while (b->open > 0) {
		poll(&finished, 1, -1);
		tasks_finish(b->fd, 0, b);
	}
}

void drb_background_close(struct drb_background *b)
{
	drb_background_settle(b);
	pthread_mutex_lock(&b->lock);
	b->ends = true;
	pthread_mutex_unlock(&b->lock);
	pthread_cond_signal(&b->more);
	pthread_join(b->thread, NULL);
	event_free(b->told);
	close(b->fd);
	pthread_cond_destroy(&b->more);
	pthread_mutex_destroy(&b->lock);
}
