// SPDX-License-Identifier: BSD-3-Clause
#include "switch/control/interface_losses.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Of the network namespace of this process, however it sees /sys.
#define TABLE "/proc/self/net/dev"

static struct {
	uint64_t told;  // by the kernel, at the last look
	uint64_t since; // the beginning
} losses[DRB_PORTS_MAX];

void drb_interface_losses_take(const struct drb_setup *setup, const char *line)
{
	char name[64];
	uint64_t dropped;

	if (sscanf(line, " %63[^:]: %*u %*u %*u %" SCNu64, name, &dropped) != 2)
		return;
	for (uint32_t i = 0; i < setup->down_ports + setup->up_ports; i++) {
		const struct drb_port_setup *p = &setup->ports[i];
		if (p->driver != DRB_DRIVER_AF_PACKET || p->peer.layer > 0 ||
		    strcmp(p->interface, name) != 0)
			continue;
		losses[i].since += dropped - (dropped < losses[i].told ? 0 : losses[i].told);
		losses[i].told = dropped;
	}
}

// Above layer 1 there are no hosts.
static void look(const struct drb_setup *setup)
{
	FILE *table = setup->layer == 1 ? fopen(TABLE, "re") : NULL;
	char *line = NULL;
	size_t room = 0;

	while (table && getline(&line, &room, table) >= 0)
		drb_interface_losses_take(setup, line);
	free(line);
	if (table)
		fclose(table);
}

void drb_interface_losses_begin(const struct drb_setup *setup)
{
	look(setup);
	for (uint32_t i = 0; i < DRB_PORTS_MAX; i++)
		losses[i].since = 0;
}

void drb_interface_losses_add(const struct drb_setup *setup, struct drb_snapshot *s)
{
	look(setup);
	for (uint32_t i = 0; i < setup->down_ports + setup->up_ports; i++)
		s->port[i].in_missed += losses[i].since;
}
