// SPDX-License-Identifier: BSD-3-Clause
#include "switch/control/cards.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "common/cli/clock.h"
#include "common/cli/log.h"

#define PERIOD_NS 100000000
// Copper agrees on a speed within this.
#define SETTLE_NS UINT64_C(5000000000)
#define SETTLE_LOOK_NS 20000000
// At least: an emulated card hands over what it kept bit by bit, hellos that speak of the process before.
#define SETTLE_LOOKS 5

static struct drb_workers *workers;
static struct drb_port_set *port_set;
static pthread_t thread;
static bool begun;
static atomic_bool ending;

static bool has_cards(const struct drb_port_set *set)
{
	for (uint32_t i = 0; i < set->count; i++) {
		if (set->port[i].kind && set->port[i].kind->card)
			return true;
	}
	return false;
}

static bool look_at_all(const struct drb_port_set *set, bool *all_up)
{
	bool changed = false;

	*all_up = true;
	for (uint32_t i = 0; i < set->count; i++) {
		struct drb_port *p = (struct drb_port *)&set->port[i];
		if (!p->kind || !p->kind->card)
			continue;
		changed |= p->kind->card->look(p);
		*all_up = *all_up && p->kind->carrier(p);
	}
	return changed;
}

static void sleep_ns(long ns)
{
	const struct timespec pause = {.tv_nsec = ns};

	nanosleep(&pause, NULL);
}

static void drop_what_came(struct drb_port_set *set)
{
	for (uint32_t i = 0; i < set->count; i++) {
		struct drb_port *p = &set->port[i];
		if (p->kind && p->kind->card)
			p->kind->card->settle(p);
	}
}

void drb_cards_settle(struct drb_port_set *set, const atomic_bool *ended)
{
	const uint64_t end = drb_clock_now() + SETTLE_NS;
	bool all_up = false;

	if (!has_cards(set))
		return;
	for (int looks = 0; looks < SETTLE_LOOKS || !all_up; looks++) {
		if (atomic_load(ended) || drb_clock_now() >= end)
			return;
		look_at_all(set, &all_up);
		drop_what_came(set);
		sleep_ns(SETTLE_LOOK_NS);
	}
}

// Worker 0 would see it within two seconds.
static void tell_liveness(void)
{
	if (drb_workers_park(workers) < 0)
		return;
	drb_liveness_look(&workers->worker[0].liveness);
	drb_workers_unpark(workers);
}

static void *watch(void *arg)
{
	bool all_up;

	(void)arg;
	while (!atomic_load(&ending)) {
		if (look_at_all(port_set, &all_up))
			tell_liveness();
		sleep_ns(PERIOD_NS);
	}
	return NULL;
}

int drb_cards_begin(struct drb_workers *all, struct drb_port_set *set)
{
	workers = all;
	port_set = set;
	if (!has_cards(set))
		return 0;
	int rc = pthread_create(&thread, NULL, watch, NULL);
	begun = rc == 0;
	if (rc != 0)
		drb_error("cannot start the thread that asks cards: %s", strerror(rc));
	return -rc;
}

void drb_cards_end(void)
{
	if (!begun)
		return;
	atomic_store(&ending, true);
	pthread_join(thread, NULL);
}
