// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/serve/poller.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/clock.h"
#include "common/cli/log.h"
#include "ctl/metrics/exposition.h"
#include "ctl/serve/state.h"

void snapshot_release(struct snapshot *p)
{
	if (!p || atomic_fetch_sub(&p->references, 1) > 1)
		return;
	for (int i = 0; i < SNAPSHOT_TEXTS; i++)
		free(p->texts[i].text);
	metrics_poll_free(&p->poll);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

static char *exposition_of(const struct metrics_poll *poll, size_t *length)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, length);

	if (!out)
		return NULL;
	bool written = metrics_write(out, poll);
	if (fclose(out) == 0 && written)
		return text;
	free(text);
	return NULL;
}

static char *make_text(const struct metrics_poll *poll, enum snapshot_text which, size_t *length)
{
	if (which == SNAPSHOT_METRICS)
		return exposition_of(poll, length);
	char *text = serve_state_json(poll);
	*length = text ? strlen(text) : 0;
	return text;
}

const char *snapshot_text(struct snapshot *p, enum snapshot_text which, size_t *length)
{
	pthread_mutex_lock(&p->lock);
	if (!p->texts[which].text)
		p->texts[which].text = make_text(&p->poll, which, &p->texts[which].length);
	pthread_mutex_unlock(&p->lock);
	*length = p->texts[which].length;
	return p->texts[which].text;
}

// NULL: out of memory.
static struct snapshot *snapshot_take(struct poller *p, uint64_t number)
{
	struct snapshot *snapshot = calloc(1, sizeof(*snapshot));

	if (!snapshot || metrics_poll(&p->switches, &snapshot->poll) < 0) {
		free(snapshot);
		return NULL;
	}
	snapshot->number = number;
	pthread_mutex_init(&snapshot->lock, NULL);
	atomic_store(&snapshot->references, 1);
	return snapshot;
}

// Waits until the time of the next poll; false: the poller is to stop.
static bool wait_until(struct poller *p, uint64_t ns)
{
	const struct timespec until = {.tv_sec = (time_t)(ns / 1000000000),
				       .tv_nsec = (long)(ns % 1000000000)};
	bool stop;

	pthread_mutex_lock(&p->lock);
	while (!p->stop && drb_clock_now() < ns)
		pthread_cond_timedwait(&p->wake, &p->lock, &until);
	stop = p->stop;
	pthread_mutex_unlock(&p->lock);
	return !stop;
}

static void *poller_run(void *arg)
{
	struct poller *p = arg;
	uint64_t number = 1, next = drb_clock_now() + p->interval_ns;

	while (wait_until(p, next)) {
		struct snapshot *now = snapshot_take(p, number + 1), *oldest;
		// If a poll took longer than the interval, the missed polls are skipped.
		next = next + p->interval_ns > drb_clock_now() ? next + p->interval_ns
							       : drb_clock_now() + p->interval_ns;
		if (!now)
			continue; // out of memory, or a message says why: keep the last snapshot
		number++;
		pthread_mutex_lock(&p->lock);
		oldest = p->before;
		p->before = p->last;
		p->last = now;
		pthread_mutex_unlock(&p->lock);
		snapshot_release(oldest);
		p->on_snapshot(p->context);
	}
	return NULL;
}

int poller_init(struct poller *p)
{
	pthread_condattr_t attributes;

	pthread_mutex_init(&p->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&p->wake, &attributes);
	pthread_condattr_destroy(&attributes);
	p->last = snapshot_take(p, 1);
	if (!p->last && !p->switches.failed)
		drb_error("out of memory");
	return p->last ? 0 : -ENOMEM;
}

int poller_start(struct poller *p)
{
	int rc = pthread_create(&p->thread, NULL, poller_run, p);

	if (rc != 0)
		drb_error("cannot start the thread that asks switches: %s", strerror(rc));
	return -rc;
}

void poller_stop(struct poller *p)
{
	pthread_mutex_lock(&p->lock);
	p->stop = true;
	pthread_cond_signal(&p->wake);
	pthread_mutex_unlock(&p->lock);
	pthread_join(p->thread, NULL);
}

void poller_free(struct poller *p)
{
	snapshot_release(p->before);
	snapshot_release(p->last);
	p->before = p->last = NULL;
	metrics_poller_close(&p->switches);
}

struct snapshot *poller_next(struct poller *p, uint64_t number)
{
	pthread_mutex_lock(&p->lock);
	struct snapshot *next = p->before && !number ? p->before : p->last;
	atomic_fetch_add(&next->references, 1);
	pthread_mutex_unlock(&p->lock);
	return next;
}

struct snapshot *poller_last(struct poller *p)
{
	return poller_next(p, UINT64_MAX);
}
