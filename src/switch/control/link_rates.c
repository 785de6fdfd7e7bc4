// SPDX-License-Identifier: BSD-3-Clause
#include "switch/control/link_rates.h"

#include <errno.h>

#include "common/cli/log.h"
#include "switch/control/link_speeds.h"
#include "switch/control/reload.h"

static struct event *due;

static void look(int fd, short events, void *unused)
{
	(void)fd, (void)events, (void)unused;
	drb_reload_link_rates(); // the next look tries again if it cannot, and has said why
}

static bool tells(const struct drb_port_set *ports)
{
	for (uint32_t i = 0; i < ports->count; i++) {
		if (ports->port[i].kind && ports->port[i].kind->speed)
			return true;
	}
	return false;
}

int drb_link_rates_begin(struct event_base *base, const struct drb_port_set *ports,
			 const struct drb_setup *setup)
{
	const struct timeval period = {.tv_sec = 1};

	if (!tells(ports))
		return 0;
	due = event_new(base, -1, EV_PERSIST, look, NULL);
	if (!due || event_add(due, &period) < 0) {
		drb_error("cannot follow the speed of links: no memory");
		return -ENOMEM;
	}
	look(-1, 0, NULL);
	for (uint32_t i = 0; i < setup->down_ports + setup->up_ports; i++) {
		if (setup->ports[i].link_rate && setup->ports[i].rate.value <= 0)
			drb_link_speeds_say_one(&setup->ports[i]);
	}
	return 0;
}

void drb_link_rates_end(void)
{
	if (due)
		event_free(due);
	due = NULL;
}
