// SPDX-License-Identifier: BSD-3-Clause
#include "switch/control/snapshots.h"

#include <errno.h>

#include "switch/control/stats_socket.h"
#include "switch/control/switch.h"

// Less than the second for which clients wait for a reply.
#define ANSWER_WITHIN_US 780000

static void finish(struct drb_snapshots *all, int rc)
{
	all->rc = rc;
	all->over = all->asked;
}

// Sums the workers' snapshots once all workers have taken theirs. True if it did so.
static bool snapshots_sum(struct drb_switch *s)
{
	struct drb_snapshots *all = &s->snapshots;

	if (all->over == all->asked || !drb_workers_have_snapshots(&s->workers))
		return false;
	drb_workers_sum_snapshots(&s->workers, &all->last);
	drb_interface_losses_add(&s->losses, &s->setup, &all->last);
	finish(all, 0);
	return true;
}

void drb_snapshots_look(struct drb_switch *s)
{
	if (!snapshots_sum(s))
		return;
	event_del(s->snapshots.due);
	drb_stats_socket_look(s->stats);
}

static void give_up(int fd, short events, void *s)
{
	struct drb_snapshots *all = &((struct drb_switch *)s)->snapshots;

	(void)fd, (void)events;
	if (all->over < all->asked)
		finish(all, -ETIMEDOUT);
	drb_stats_socket_look(((struct drb_switch *)s)->stats);
}

// Fails at once if a worker still owes the answer to an earlier request, because that answer would
// be too old.
static void snapshots_begin(struct drb_switch *s)
{
	static const struct timeval within = {.tv_usec = ANSWER_WITHIN_US};
	struct drb_snapshots *all = &s->snapshots;

	all->asked++;
	if (drb_workers_have_snapshots(&s->workers) && event_add(all->due, &within) == 0)
		drb_workers_ask_snapshot(&s->workers);
	else
		finish(all, -ETIMEDOUT);
}

bool drb_snapshots_serve(uint64_t *number, void *context)
{
	struct drb_switch *s = context;
	struct drb_snapshots *all = &s->snapshots;

	if (!s->ready || drb_workers_stuck(&s->workers) >= 0) {
		all->rc = s->ready ? -ETIMEDOUT : -EAGAIN;
		return true;
	}
	if (*number == 0)
		*number = all->asked + 1;
	if (all->over == all->asked && all->asked < *number)
		snapshots_begin(s);
	return all->over >= *number;
}

int drb_snapshots_open(struct drb_switch *s)
{
	s->snapshots.due = evtimer_new(s->base, give_up, s);
	return s->snapshots.due ? 0 : -ENOMEM;
}

void drb_snapshots_close(struct drb_switch *s)
{
	event_free(s->snapshots.due);
}
