// SPDX-License-Identifier: BSD-3-Clause
#include "switch/links/drain_rules.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/cli/text.h"
#include "core/fabric/names.h"

enum { WHY_MAX = 2 * DRB_NAME_MAX + 64 };

// Repeats the name only if it has the form of a port's name, because a client sent it and text
// becomes JSON.
static void no_such_port(const char *port, char *text, size_t size)
{
	uint32_t number;
	bool up;

	if (port && drb_port_parse(port, &up, &number) == 0)
		snprintf(text, size, "no port '%s'", port);
	else
		snprintf(text, size, "no such port: they are d0, u0 and so on");
}

static uint64_t named_ports(const struct drb_liveness *l, const char *port, char *text, size_t size)
{
	uint64_t ports = port ? 0 : l->active | l->awaited;

	for (uint32_t i = 0; port && i < l->ports; i++) {
		if (strcmp(l->port[i].setup.name, port) == 0)
			ports |= UINT64_C(1) << i;
	}
	if (!ports)
		no_such_port(port, text, size);
	return ports;
}

static bool is_usable(const struct drb_liveness *l, uint32_t i)
{
	return (l->active >> i & 1) &&
	       (!l->port[i].watched || drb_link_is_usable(&l->port[i].link));
}

static bool is_last_uplink(const struct drb_liveness *l, uint32_t port)
{
	uint32_t others = 0;

	for (uint32_t i = l->down_ports; i < l->ports; i++)
		others += i != port && is_usable(l, i);
	return port >= l->down_ports && is_usable(l, port) && others == 0;
}

// True if port i has no device, if draining it would isolate its neighbour, or if the neighbour
// would not learn of it. `why` becomes the reason. A port that has not met its peer can be drained.
static bool neighbour_objects(const struct drb_liveness *l, uint32_t i, char why[WHY_MAX])
{
	const struct drb_end *peer = &l->port[i].setup.peer;
	const struct drb_link *link = &l->port[i].link;
	char name[DRB_NAME_MAX];

	drb_node_name(name, peer->layer, peer->label);
	if (peer->layer == 0)
		snprintf(why, WHY_MAX, "%s has no other path", name);
	else if (l->awaited >> i & 1)
		return false; // has not met its peer, and will be drained when it does
	else if (!(l->active >> i & 1))
		snprintf(why, WHY_MAX, "it has no device");
	else if (!l->port[i].watched)
		snprintf(why, WHY_MAX, "hello is off, %s would not know", name);
	else if (link->state == DRB_LINK_UNKNOWN)
		snprintf(why, WHY_MAX, "%s sends no hello and would not know", name);
	else if (i < l->down_ports && is_usable(l, i) &&
		 (link->hello.flags & DRB_HELLO_NO_ALTERNATE))
		snprintf(why, WHY_MAX, "%s has no other uplink in use", name);
	else
		return false;
	return true;
}

// True if all these ports can be drained; else text says why not.
static bool may_drain(const struct drb_liveness *l, uint64_t ports, bool all, char *text,
		      size_t size)
{
	char why[WHY_MAX];

	if (all && l->layer == 1) {
		snprintf(text, size, "not drained: its hosts have no other path");
		return false;
	}
	for (uint32_t i = 0; i < l->ports; i++) {
		if (!(ports >> i & 1) || l->port[i].link.drained)
			continue;
		bool refused = neighbour_objects(l, i, why);
		if (!refused && !all && is_last_uplink(l, i)) {
			snprintf(why, WHY_MAX, "no other uplink is in use");
			refused = true;
		}
		if (refused) {
			snprintf(text, size, "%s not drained: %s", l->port[i].setup.name, why);
			return false;
		}
	}
	return true;
}

// Writes to text which ports are `what` now.
static void describe(const struct drb_liveness *l, uint64_t ports, const char *what, char *text,
		     size_t size)
{
	snprintf(text, size, ports ? "%s now:" : "nothing is %s now", what);
	for (uint32_t i = 0; i < l->ports; i++) {
		if (ports >> i & 1)
			drb_text_add(text, size, " %s", l->port[i].setup.name);
	}
}

static void drain(struct drb_liveness *l, uint64_t ports, bool on, char *text, size_t size)
{
	uint64_t drained = 0;

	for (uint32_t i = 0; i < l->ports; i++) {
		if ((ports >> i & 1) && l->port[i].link.drained != on)
			drb_liveness_drain(l, i, on);
		drained |= (uint64_t)l->port[i].link.drained << i;
	}
	describe(l, drained, "drained", text, size);
}

static void take_down(struct drb_liveness *l, uint64_t ports, bool on, char *text, size_t size)
{
	l->off = on ? l->off | ports : l->off & ~ports;
	l->changed = true;
	l->due_ns = 0;
	describe(l, l->off, "down by order", text, size);
}

int drb_port_order(struct drb_liveness *l, enum drb_port_order order, const char *port, char *text,
		   size_t size)
{
	const uint64_t ports = named_ports(l, port, text, size);

	if (!ports || (order == DRB_DRAIN && !may_drain(l, ports, !port, text, size)))
		return -EINVAL;
	if (order == DRB_DRAIN || order == DRB_UNDRAIN)
		drain(l, ports, order == DRB_DRAIN, text, size);
	else
		take_down(l, ports, order == DRB_DOWN, text, size);
	return 0;
}
