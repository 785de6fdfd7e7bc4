// SPDX-License-Identifier: BSD-3-Clause
#include "switch/control/link_rates.h"

#include <errno.h>

#include "common/cli/log.h"
#include "switch/control/link_speeds.h"
#include "switch/control/switch.h"

static void look(int fd, short events, void *s)
{
	(void)fd, (void)events;
	drb_reload_link_rates(s); // the next look tries again if it cannot, and has said why
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
	const struct timeval period = {.tv_sec = 1};
	const struct drb_setup *setup = &s->setup;

	if (!tells(&s->ports))
		return 0;
	s->link_rates = event_new(s->base, -1, EV_PERSIST, look, s);
	if (!s->link_rates || event_add(s->link_rates, &period) < 0) {
		drb_error("no memory for a timer");
		drb_link_rates_close(s);
		return -ENOMEM;
	}
	look(-1, 0, s);
	for (uint32_t i = 0; i < setup->down_ports + setup->up_ports; i++) {
		if (setup->ports[i].link_rate && setup->ports[i].rate.value <= 0)
			drb_link_speeds_say_one(&setup->ports[i]);
	}
	return 0;
}

void drb_link_rates_close(struct drb_switch *s)
{
	if (s->link_rates)
		event_free(s->link_rates);
	s->link_rates = NULL;
}
