// SPDX-License-Identifier: BSD-3-Clause
#include "switch/control/cards.h"

#include <errno.h>

#include "common/cli/clock.h"
#include "common/cli/log.h"

#define PERIOD_US 100000
// Copper agrees on a speed within this.
#define SETTLE_NS UINT64_C(5000000000)
// At least: an emulated card hands over what it kept bit by bit, hellos that speak of the process before.
#define SETTLE_LOOKS 5

static struct drb_workers *workers;
static struct drb_port_set *port_set;
static struct event *due;
static uint64_t settle_end_ns; // 0: not begun
static uint32_t looks;         // since then

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

bool drb_cards_settled(struct drb_port_set *set)
{
	bool all_up = false;

	if (!has_cards(set))
		return true;
	if (settle_end_ns == 0)
		settle_end_ns = drb_clock_now() + SETTLE_NS;
	look_at_all(set, &all_up);
	drop_what_came(set);
	return (++looks >= SETTLE_LOOKS && all_up) || drb_clock_now() >= settle_end_ns;
}

static void look(int fd, short events, void *unused)
{
	bool all_up;

	(void)fd, (void)events, (void)unused;
	if (look_at_all(port_set, &all_up))
		drb_workers_look_at_carriers(workers);
}

int drb_cards_begin(struct event_base *base, struct drb_workers *all, struct drb_port_set *set)
{
	const struct timeval period = {.tv_usec = PERIOD_US};

	workers = all;
	port_set = set;
	if (!has_cards(set))
		return 0;
	due = event_new(base, -1, EV_PERSIST, look, NULL);
	if (due && event_add(due, &period) == 0)
		return 0;
	drb_error("cannot ask cards: no memory");
	return -ENOMEM;
}

void drb_cards_end(void)
{
	if (due)
		event_free(due);
	due = NULL;
}
