// SPDX-License-Identifier: BSD-3-Clause
#include "switch/control/link_rates.h"

#include "common/cli/periodic.h"
#include "switch/control/link_speeds.h"
#include "switch/control/reload.h"
#include "switch/control/stats_socket.h"

#define LOOK_EVERY_NS 1000000000

static void look(void *unused)
{
	(void)unused;
	drb_stats_socket_pause(); // no reload meanwhile
	drb_reload_link_rates();  // the next look tries again if it cannot, and has said why
	drb_stats_socket_resume();
}

static struct drb_periodic thread = {
	.what = "follows the speed of links", .look = look, .period_ns = LOOK_EVERY_NS};

static bool tells(const struct drb_port_set *ports)
{
	for (uint32_t i = 0; i < ports->count; i++) {
		if (ports->port[i].kind && ports->port[i].kind->speed)
			return true;
	}
	return false;
}

int drb_link_rates_begin(const struct drb_port_set *ports, const struct drb_setup *setup)
{
	if (!tells(ports))
		return 0;
	int rc = drb_periodic_begin(&thread);
	if (rc < 0)
		return rc;
	look(NULL);
	for (uint32_t i = 0; i < setup->down_ports + setup->up_ports; i++) {
		if (setup->ports[i].link_rate && setup->ports[i].rate.value <= 0)
			drb_link_speeds_say_one(&setup->ports[i]);
	}
	return 0;
}

void drb_link_rates_end(void)
{
	drb_periodic_end(&thread);
}
