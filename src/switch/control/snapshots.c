// SPDX-License-Identifier: BSD-3-Clause
#include "switch/control/snapshots.h"

#include <errno.h>
#include <time.h>

#include "common/cli/clock.h"
#include "switch/control/interface_losses.h"
#include "switch/control/switch.h"

// A second is what a client has.
#define ANSWER_WITHIN_NS UINT64_C(780000000)
// Workers that have a CPU answer within this, which is waited for at once.
#define AT_ONCE_NS UINT64_C(2000000)

static void finish(struct drb_snapshots *all, int rc)
{
	all->rc = rc;
	all->over = all->asked;
}

// Takes the answers, if all are there, or gives up.
static void take(struct drb_switch *s)
{
	struct drb_snapshots *all = &s->snapshots;

	if (all->over == all->asked)
		return;
	if (drb_workers_sum_snapshot(&s->workers, &all->last)) {
		drb_interface_losses_add(&s->setup, &all->last);
		finish(all, 0);
	} else if (drb_clock_now() >= all->end_ns) {
		s->workers.late = true;
		finish(all, -ETIMEDOUT);
	}
}

// Nobody waits for a worker that is late; what it answers then is too old.
static void begin(struct drb_switch *s)
{
	static const struct timespec pause = {.tv_nsec = 20000};
	struct drb_snapshots *all = &s->snapshots;
	const uint64_t now = drb_clock_now();

	all->asked++;
	if (drb_workers_late(&s->workers)) {
		finish(all, -ETIMEDOUT);
		return;
	}
	all->end_ns = now + ANSWER_WITHIN_NS;
	drb_workers_ask_snapshot(&s->workers);
	for (take(s); all->over < all->asked && drb_clock_now() < now + AT_ONCE_NS; take(s))
		nanosleep(&pause, NULL);
}

bool drb_snapshots_serve(uint64_t *number, void *context)
{
	struct drb_switch *s = context;
	struct drb_snapshots *all = &s->snapshots;

	if (!s->ready || drb_workers_stuck(&s->workers) >= 0) {
		all->rc = s->ready ? -ETIMEDOUT : -EAGAIN;
		return true;
	}
	take(s);
	if (*number == 0)
		*number = all->asked + 1;
	if (all->over == all->asked && all->asked < *number)
		begin(s);
	return all->over >= *number;
}
