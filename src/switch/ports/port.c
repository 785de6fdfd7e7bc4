// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/port.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/log.h"
#include "switch/ports/interface.h"

#define CACHE_LINE 64
#define AWAY_S 0.3

void *drb_port_own(struct drb_port *port, size_t size)
{
	size = (size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
	port->own = aligned_alloc(CACHE_LINE, size);
	if (!port->own) {
		drb_error("port %s: out of memory", port->setup->name);
		return NULL;
	}
	return memset(port->own, 0, size);
}

void drb_port_add_queue(struct drb_port *port, uint32_t n, struct drb_port_queue *q)
{
	*q = (struct drb_port_queue){
		.receive = port->kind->receive,
		.send = port->kind->send,
		.in_ring = port->kind->in_ring,
		.kind = port->kind,
		.port = port,
		.flushed = port->kind->flush,
		.connected = true,
		.fd = -1,
	};
	port->queue[n] = q;
}

double drb_port_carries_meanwhile(const struct drb_port *port)
{
	const struct drb_port_setup *s = port->setup;

	return s->rate.value > 0
		       ? drb_port_packets_a_second(s) * (AWAY_S + (double)s->catchup_ns / 1e9)
		       : 0;
}

const char *drb_port_state(const struct drb_port *port)
{
	if (port->kind->interface)
		return drb_interface_port_state(port);
	return port->kind->carrier(port) ? "up" : "down";
}
