// SPDX-License-Identifier: BSD-3-Clause
#include "switch/datapath/changes.h"

#include <errno.h>
#include <unistd.h>

#include <event2/event.h>

#include "common/cli/clock.h"
#include "common/cli/log.h"
#include "switch/datapath/requests.h"

// Posts a change to all workers. c == NULL: asks them only to confirm that they run.
static void post(struct drb_workers *all, struct drb_change *c)
{
	for (uint32_t n = 0; n < all->count; n++)
		drb_worker_post(&all->worker[n], c);
	all->changes.stage = c ? DRB_CHANGES_POSTED : DRB_CHANGES_ASKED;
}

static bool have_answered(const struct drb_workers *all)
{
	for (uint32_t n = 0; n < all->count; n++) {
		if (!drb_worker_has_changed(&all->worker[n]))
			return false;
	}
	return true;
}

static void finish(struct drb_workers *all, struct drb_change *c, int rc)
{
	TAILQ_REMOVE(&all->changes.queue, c, link);
	if (c->done)
		c->done(c->context, rc);
}

// Makes the first change in this thread for every worker that has not made it. Call while no worker
// runs.
static void make_here(struct drb_workers *all, struct drb_change *c)
{
	for (uint32_t n = 0; n < all->count; n++) {
		struct drb_worker *w = &all->worker[n];
		if (all->changes.stage != DRB_CHANGES_POSTED || !drb_worker_has_changed(w))
			c->make(w, n, c->context);
	}
	all->changes.stage = DRB_CHANGES_NONE;
	finish(all, c, 0);
}

// Takes the next step of the first change. True if another step may follow at once.
static bool take_step(struct drb_workers *all)
{
	struct drb_change *c = TAILQ_FIRST(&all->changes.queue);

	if (!all->launched) {
		if (c)
			make_here(all, c);
		return c;
	}
	if (!have_answered(all))
		return false;
	switch (all->changes.stage) {
	case DRB_CHANGES_NONE:
		if (c)
			post(all, NULL);
		return c;
	case DRB_CHANGES_ASKED:
		all->changes.stage = DRB_CHANGES_NONE;
		if (c)
			post(all, c);
		return c;
	case DRB_CHANGES_POSTED:
		all->changes.stage = DRB_CHANGES_NONE;
		finish(all, c, 0);
	}
	return true;
}

// Returns a change whose deadline has passed, or NULL. A stuck worker makes all changes fail at
// once, except patient ones. *next_ns: if NULL is returned, the earliest deadline to come.
static struct drb_change *next_to_fail(struct drb_workers *all, uint64_t *next_ns)
{
	const uint64_t now = drb_workers_stuck(all) >= 0 ? UINT64_MAX : drb_clock_now();
	struct drb_change *c = TAILQ_FIRST(&all->changes.queue);

	*next_ns = UINT64_MAX;
	for (; c; c = TAILQ_NEXT(c, link)) {
		if (c->patient || (all->changes.stage == DRB_CHANGES_POSTED &&
				   c == TAILQ_FIRST(&all->changes.queue)))
			continue;
		if (now >= c->end_ns)
			return c;
		*next_ns = c->end_ns < *next_ns ? c->end_ns : *next_ns;
	}
	return NULL;
}

void drb_changes_go_on(struct drb_workers *all)
{
	struct drb_changes *changes = &all->changes;
	struct drb_change *c;
	uint64_t next_ns;

	if (changes->busy) // done() posted another change: the outer call continues with it
		return;
	changes->busy = true;
	do {
		while (take_step(all))
			;
		c = next_to_fail(all, &next_ns);
		if (c)
			finish(all, c, -ETIMEDOUT);
	} while (c);
	changes->busy = false;
	if (!changes->due)
		return;
	const uint64_t now = drb_clock_now(), wait = next_ns > now ? next_ns - now : 0;
	const struct timeval due = {.tv_sec = (time_t)(wait / 1000000000),
				    .tv_usec = (suseconds_t)(wait / 1000 % 1000000) + 1};
	if (next_ns == UINT64_MAX)
		event_del(changes->due);
	else
		event_add(changes->due, &due);
}

void drb_change_post(struct drb_workers *all, struct drb_change *c)
{
	c->end_ns = drb_clock_now() + DRB_CHANGE_WITHIN_NS;
	TAILQ_INSERT_TAIL(&all->changes.queue, c, link);
	drb_changes_go_on(all);
}

static void changes_hear(int fd, short events, void *workers)
{
	struct drb_workers *all = workers;
	uint64_t count;

	if (events & EV_READ)
		(void)!read(fd, &count, sizeof(count));
	drb_changes_go_on(all);
	all->changes.heard(all->changes.context);
}

int drb_changes_open(struct drb_workers *all, struct event_base *base, void (*heard)(void *context),
		     void *context)
{
	struct drb_changes *changes = &all->changes;

	changes->heard = heard;
	changes->context = context;
	changes->told = event_new(base, all->told_fd, EV_READ | EV_PERSIST, changes_hear, all);
	changes->due = evtimer_new(base, changes_hear, all);
	if (changes->told && changes->due && event_add(changes->told, NULL) == 0)
		return 0;
	drb_error("no memory to hear workers");
	drb_changes_close(all);
	return -ENOMEM;
}

void drb_changes_close(struct drb_workers *all)
{
	if (all->changes.told)
		event_free(all->changes.told);
	if (all->changes.due)
		event_free(all->changes.due);
	all->changes.told = all->changes.due = NULL;
}

static void liveness_look(struct drb_worker *w, uint32_t n, void *workers)
{
	(void)workers;
	if (n == 0)
		drb_liveness_look(&w->liveness);
}

static void has_looked(void *workers, int rc)
{
	struct drb_workers *all = workers;
	const bool again = all->changes.look_again;

	(void)rc;
	all->changes.looks = all->changes.look_again = false;
	if (again)
		drb_workers_look_at_carriers(all);
}

// A check under way may have read the carriers before this change, so another one follows it.
void drb_workers_look_at_carriers(struct drb_workers *all)
{
	struct drb_changes *changes = &all->changes;

	if (changes->looks) {
		changes->look_again = true;
		return;
	}
	changes->looks = true;
	changes->look = (struct drb_change){
		.make = liveness_look, .done = has_looked, .context = all, .patient = true};
	drb_change_post(all, &changes->look);
}
