// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/memif/connect.h"

#include <errno.h>
#include <stdbool.h>

#include "common/cli/clock.h"
#include "common/cli/log.h"
#include "switch/ports/memif/memif_port.h"
#include "switch/ports/memif/server_probe.h"
#include "switch/ports/port_set.h"

// Between looks at links that are up.
#define LOOK_US 250000
// A client that was turned away, or whose peer is slow to answer, tries again after so long, then
// after twice as long and so on.
#define AGAIN_NS 50000000
#define AGAIN_MAX_NS 1000000000

static struct {
	uint64_t due_ns, wait_ns; // of a client's next try
	bool met;
} search[DRB_PORTS_MAX];
static struct event *due;

static void try_client(struct drb_port *port, uint32_t i)
{
	if (drb_clock_now() < search[i].due_ns || !drb_memif_server_answers(port->setup->socket))
		return;
	drb_memif_port_restart(port);
	search[i].wait_ns = search[i].wait_ns ? search[i].wait_ns * 2 : AGAIN_NS;
	if (search[i].wait_ns > AGAIN_MAX_NS)
		search[i].wait_ns = AGAIN_MAX_NS;
	search[i].due_ns = drb_clock_now() + search[i].wait_ns;
}

uint32_t drb_memif_connect(const struct drb_memif_connect *s)
{
	uint32_t missing = 0;

	for (uint32_t i = 0; i < s->ports->count; i++) {
		struct drb_port *port = &s->ports->port[i];
		if (!port->needs_peer)
			continue;
		if (!port->kind->carrier(port)) {
			missing++;
			if (!port->setup->up)
				try_client(port, i);
			continue;
		}
		search[i].due_ns = search[i].wait_ns = 0;
		search[i].met = search[i].met || s->met(s->context, i) == 0;
	}
	return missing;
}

void drb_memif_connect_log(const struct drb_memif_connect *s)
{
	for (uint32_t i = 0; i < s->ports->count; i++) {
		const struct drb_port *port = &s->ports->port[i];
		const struct drb_port_setup *p = port->setup;
		char peer[DRB_NAME_MAX];
		if (!port->needs_peer || port->kind->carrier(port))
			continue;
		drb_node_name(peer, p->peer.layer, p->peer.label);
		drb_warn("port %s: %s has not come to %s, not used until it does", p->name, peer,
			 p->socket);
	}
}

static void look(int fd, short events, void *s)
{
	(void)fd, (void)events;
	drb_memif_connect(s);
}

static bool has_memif(const struct drb_port_set *ports)
{
	for (uint32_t i = 0; i < ports->count; i++) {
		if (ports->port[i].needs_peer)
			return true;
	}
	return false;
}

int drb_memif_connect_begin(struct event_base *base, const struct drb_memif_connect *s)
{
	const struct timeval period = {.tv_usec = LOOK_US};

	if (!has_memif(s->ports))
		return 0;
	due = event_new(base, -1, EV_PERSIST, look, (void *)(uintptr_t)s);
	if (due && event_add(due, &period) == 0)
		return 0;
	drb_error("no memory for a timer");
	return -ENOMEM;
}

void drb_memif_connect_end(void)
{
	if (due)
		event_free(due);
	due = NULL;
}
