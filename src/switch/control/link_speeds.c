// SPDX-License-Identifier: BSD-3-Clause
#include "switch/control/link_speeds.h"

#include "common/cli/log.h"
#include "common/cli/quantity.h"

bool drb_link_speeds_fill(const struct drb_workers *all, struct drb_setup *s)
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

void drb_link_speeds_say_one(const struct drb_port_setup *p)
{
	char rate[64];

	drb_format_rate(&p->rate, rate, sizeof(rate));
	if (p->rate.value > 0)
		drb_info("port %s: its link has %s, which is its rate now", p->name, rate);
	else if (p->driver != DRB_DRIVER_NONE)
		drb_info("port %s: the speed of its link is unknown, so it has no rate: give one "
			 "(%srate)",
			 p->name, p->key);
}

void drb_link_speeds_say(const struct drb_setup *before, const struct drb_setup *now)
{
	for (uint32_t i = 0; i < now->down_ports + now->up_ports; i++) {
		const struct drb_port_setup *p = &now->ports[i];
		if (p->link_rate && (!before || p->rate.value != before->ports[i].rate.value))
			drb_link_speeds_say_one(p);
	}
}
