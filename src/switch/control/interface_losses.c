// SPDX-License-Identifier: BSD-3-Clause
#include "switch/control/interface_losses.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Shows the network namespace of this process, whatever /sys shows.
#define TABLE "/proc/self/net/dev"

void drb_interface_losses_take(struct drb_interface_losses *l, const struct drb_setup *setup,
			       const char *line)
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
		l->port[i].since += dropped - (dropped < l->port[i].told ? 0 : l->port[i].told);
		l->port[i].told = dropped;
	}
}

// Reads the table in layer 1 only: switches above have no hosts.
static void table_read(struct drb_interface_losses *l, const struct drb_setup *setup)
{
	FILE *table = setup->layer == 1 ? fopen(TABLE, "re") : NULL;
	char *line = NULL;
	size_t room = 0;

	while (table && getline(&line, &room, table) >= 0)
		drb_interface_losses_take(l, setup, line);
	free(line);
	if (table)
		fclose(table);
}

void drb_interface_losses_begin(struct drb_interface_losses *l, const struct drb_setup *setup)
{
	table_read(l, setup);
	for (uint32_t i = 0; i < DRB_PORTS_MAX; i++)
		l->port[i].since = 0;
}

void drb_interface_losses_add(struct drb_interface_losses *l, const struct drb_setup *setup,
			      struct drb_snapshot *s)
{
	table_read(l, setup);
	for (uint32_t i = 0; i < setup->down_ports + setup->up_ports; i++)
		s->port[i].in_missed += l->port[i].since;
}
