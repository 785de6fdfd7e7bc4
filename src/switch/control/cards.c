// SPDX-License-Identifier: BSD-3-Clause
#include "switch/control/cards.h"

#include <stdbool.h>
#include <time.h>

#include "common/cli/clock.h"
#include "common/cli/periodic.h"

#define PERIOD_NS 100000000
// Copper agrees on a speed within this.
#define SETTLE_NS UINT64_C(5000000000)
#define SETTLE_LOOK_NS 20000000
// At least: an emulated card hands over what it kept bit by bit, hellos that speak of the process before.
#define SETTLE_LOOKS 5

static struct drb_workers *workers;
static struct drb_port_set *port_set;

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
	const struct timespec pause = {.tv_nsec = SETTLE_LOOK_NS};
	const uint64_t end = drb_clock_now() + SETTLE_NS;
	bool all_up = false;

	if (!has_cards(set))
		return;
	for (int looks = 0; looks < SETTLE_LOOKS || !all_up; looks++) {
		if (atomic_load(ended) || drb_clock_now() >= end)
			return;
		look_at_all(set, &all_up);
		drop_what_came(set);
		nanosleep(&pause, NULL);
	}
}

static void look(void *unused)
{
	bool all_up;

	(void)unused;
	if (look_at_all(port_set, &all_up))
		drb_workers_look_at_carriers(workers);
}

static struct drb_periodic thread = {.what = "asks cards", .look = look, .period_ns = PERIOD_NS};

int drb_cards_begin(struct drb_workers *all, struct drb_port_set *set)
{
	workers = all;
	port_set = set;
	return has_cards(set) ? drb_periodic_begin(&thread) : 0;
}

void drb_cards_end(void)
{
	drb_periodic_end(&thread);
}
