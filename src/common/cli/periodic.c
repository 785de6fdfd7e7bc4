// SPDX-License-Identifier: BSD-3-Clause
#include "common/cli/periodic.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "common/cli/clock.h"
#include "common/cli/log.h"

// A wait may last longer by the period divided by SLACK, so that the kernel can wake the CPU for
// several tasks at once.
#define SLACK 16

static void *periodic_run(void *arg)
{
	struct drb_periodic *p = arg;

	prctl(PR_SET_TIMERSLACK, p->period_ns / SLACK);
	for (;;) {
		const uint64_t now = drb_clock_now();
		const uint64_t next = now - now % p->period_ns + p->period_ns;
		const struct timespec at = {.tv_sec = (time_t)(next / 1000000000u),
					    .tv_nsec = (long)(next % 1000000000u)};
		if (sem_clockwait(&p->end, CLOCK_MONOTONIC, &at) == 0)
			return NULL;
		if (errno == ETIMEDOUT)
			p->look(p->context);
	}
}

int drb_periodic_begin(struct drb_periodic *p)
{
	sem_init(&p->end, 0, 0);
	int rc = pthread_create(&p->thread, NULL, periodic_run, p);
	p->runs = rc == 0;
	if (rc != 0)
		drb_error("cannot start the thread that %s: %s", p->what, strerror(rc));
	return -rc;
}

void drb_periodic_end(struct drb_periodic *p)
{
	if (!p->runs)
		return;
	sem_post(&p->end);
	pthread_join(p->thread, NULL);
	p->runs = false;
}
