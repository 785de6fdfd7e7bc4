// SPDX-License-Identifier: BSD-3-Clause
#include "switch/control/cards.h"

#include <errno.h>

#include "common/cli/clock.h"
#include "switch/control/switch.h"
#include "switch/datapath/changes.h"

#define PERIOD_US 100000
// Links over copper negotiate their speed within this time.
#define SETTLE_NS UINT64_C(5000000000)
// Drain the receive queues at least this often. An emulated card has buffered frames, among them
// hellos to the previous process, and delivers them in several portions.
#define SETTLE_LOOKS 5

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

int drb_cards_settle(struct drb_switch *s)
{
	struct drb_cards *c = &s->cards;
	bool all_up = false;

	if (!has_cards(&s->ports))
		return 0;
	if (c->settle_end_ns == 0)
		c->settle_end_ns = drb_clock_now() + SETTLE_NS;
	look_at_all(&s->ports, &all_up);
	drop_what_came(&s->ports);
	c->looks++;
	return (c->looks >= SETTLE_LOOKS && all_up) || drb_clock_now() >= c->settle_end_ns
		       ? 0
		       : -EAGAIN;
}

static void cards_look(int fd, short events, void *context)
{
	struct drb_switch *s = context;
	bool all_up;

	(void)fd, (void)events;
	if (look_at_all(&s->ports, &all_up))
		drb_workers_look_at_carriers(&s->workers);
}

int drb_cards_open(struct drb_switch *s)
{
	if (!has_cards(&s->ports))
		return 0;
	s->cards.due = drb_switch_every(s, PERIOD_US, cards_look);
	return s->cards.due ? 0 : -ENOMEM;
}

void drb_cards_close(struct drb_switch *s)
{
	if (s->cards.due)
		event_free(s->cards.due);
	s->cards.due = NULL;
}
