// SPDX-License-Identifier: BSD-3-Clause
#include "switch/control/link_rates.h"

#include <errno.h>

#include "common/cli/log.h"
#include "common/cli/quantity.h"
#include "switch/control/switch.h"

bool drb_link_rates_fill(const struct drb_workers *all, struct drb_setup *s)
{
	bool changed = false;

	for (uint32_t i = 0; i < s->down_ports + s->up_ports; i++) {
		const struct drb_port_queue *q = all->worker[0].port[i].queue;
		struct drb_rate *rate = &s->ports[i].rate;
		if (!s->ports[i].link_rate || !q || !q->kind->speed)
			continue;
		double speed = (double)q->kind->speed(q->port);
		changed |= rate->value != speed;
		*rate = (struct drb_rate){.value = speed};
	}
	return changed;
}

static void rate_log(const struct drb_port_setup *p)
{
	char rate[64];

	drb_format_rate(&p->rate, rate, sizeof(rate));
	if (p->rate.value > 0)
		drb_info("port %s: its link negotiated %s, which is its rate now", p->name, rate);
	else if (p->driver != DRB_DRIVER_NONE)
		drb_info("port %s: the speed of its link is unknown, so it has no rate: give one "
			 "(%srate)",
			 p->name, p->key);
}

void drb_link_rates_say(const struct drb_setup *before, const struct drb_setup *now)
{
	for (uint32_t i = 0; i < now->down_ports + now->up_ports; i++) {
		const struct drb_port_setup *p = &now->ports[i];
		if (p->link_rate && p->rate.value != before->ports[i].rate.value)
			rate_log(p);
	}
}

static void rates_look(int fd, short events, void *s)
{
	(void)fd, (void)events;
	drb_reload_link_rates(s); // an error is logged; the next period tries again
}

static bool tells(const struct drb_port_set *ports)
{
	for (uint32_t i = 0; i < ports->count; i++) {
		if (ports->port[i].kind && ports->port[i].kind->speed)
			return true;
	}
	return false;
}

int drb_link_rates_open(struct drb_switch *s)
{
	const struct drb_setup *setup = &s->setup;

	if (!tells(&s->ports))
		return 0;
	s->link_rates = drb_switch_every(s, 1000000, rates_look);
	if (!s->link_rates)
		return -ENOMEM;
	rates_look(-1, 0, s);
	for (uint32_t i = 0; i < setup->down_ports + setup->up_ports; i++) {
		if (setup->ports[i].link_rate && setup->ports[i].rate.value <= 0)
			rate_log(&setup->ports[i]);
	}
	return 0;
}

void drb_link_rates_close(struct drb_switch *s)
{
	if (s->link_rates)
		event_free(s->link_rates);
	s->link_rates = NULL;
}
