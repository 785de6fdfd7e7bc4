// SPDX-License-Identifier: BSD-3-Clause
#include "switch/links/drain.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/fabric/names.h"

// The ports that an order is about, a bit each. 0: there is no port of this name.
static uint32_t ports_of(const struct drb_worker *w, const struct drb_setup *s, const char *port)
{
	uint32_t ports = 0;

	for (uint32_t i = 0; i < w->ports; i++) {
		if (port ? strcmp(s->ports[i].name, port) == 0
			 : w->port[i].active || w->port[i].memif)
			ports |= UINT32_C(1) << i;
	}
	return ports;
}

static bool is_usable(const struct drb_worker *w, uint32_t i)
{
	const struct drb_liveness *l = &w->liveness;

	return w->port[i].active && (!l->watched[i] || drb_link_is_usable(&l->port[i]));
}

static bool is_last_uplink(const struct drb_worker *w, uint32_t port)
{
	uint32_t others = 0;

	for (uint32_t i = w->down_ports; i < w->ports; i++)
		others += i != port && is_usable(w, i);
	return port >= w->down_ports && is_usable(w, port) && others == 0;
}

enum { WHY_MAX = 2 * DRB_NAME_MAX + 64 };

// True if one of its neighbours, or what is behind it, objects to draining port i; says why. One
// that carries nothing can be drained.
static bool objects(const struct drb_worker *w, const struct drb_port_setup *p, uint32_t i,
		    char why[WHY_MAX])
{
	const struct drb_liveness *l = &w->liveness;
	const struct drb_link *live = &l->port[i];
	char peer[DRB_NAME_MAX];

	drb_node_name(peer, p->peer.layer, p->peer.label);
	if (p->peer.layer == 0)
		snprintf(why, WHY_MAX, "%s has no other way", peer);
	else if (!w->port[i].active && w->port[i].memif)
		return false; // has not met its peer, and will be drained when it does
	else if (!w->port[i].active)
		snprintf(why, WHY_MAX, "it has no device");
	else if (!l->watched[i])
		snprintf(why, WHY_MAX, "hello is off, %s would not know", peer);
	else if (live->state == DRB_LINK_UNKNOWN)
		snprintf(why, WHY_MAX, "%s says no hello and would not know", peer);
	else if (i < w->down_ports && is_usable(w, i) &&
		 (live->hello.flags & DRB_HELLO_NO_ALTERNATE))
		snprintf(why, WHY_MAX, "%s has no other uplink in use", peer);
	else
		return false;
	return true;
}

// True if all of a switch's ports, or the one, can be drained; else text says why not.
static bool may_drain(const struct drb_worker *w, const struct drb_setup *s, uint32_t ports,
		      bool all, char *text, size_t size)
{
	char why[WHY_MAX];

	if (all && s->layer == 1) {
		snprintf(text, size, "not drained: its hosts have no other way");
		return false;
	}
	for (uint32_t i = 0; i < w->ports; i++) {
		if (!(ports >> i & 1) || w->liveness.port[i].drained)
			continue;
		bool no = objects(w, &s->ports[i], i, why);
		if (!no && !all && is_last_uplink(w, i)) {
			snprintf(why, WHY_MAX, "no other uplink is in use");
			no = true;
		}
		if (no) {
			snprintf(text, size, "%s not drained: %s", s->ports[i].name, why);
			return false;
		}
	}
	return true;
}

// What is drained of the switch now.
static void describe(const struct drb_worker *w, const struct drb_setup *s, char *text, size_t size)
{
	size_t used = (size_t)snprintf(text, size, "%s: drained now:", s->instance);
	size_t none = used;

	for (uint32_t i = 0; i < w->ports; i++) {
		if (w->liveness.port[i].drained && used < size)
			used += (size_t)snprintf(text + used, size - used, " %s", s->ports[i].name);
	}
	if (used == none)
		snprintf(text + used, size - used, " no port");
}

// The name is said again only if it might be one: it comes from outside, and the text becomes JSON.
static void no_port(const char *port, char *text, size_t size)
{
	uint32_t number;
	bool up;

	if (port && drb_port_parse(port, &up, &number) == 0)
		snprintf(text, size, "no port '%s'", port);
	else
		snprintf(text, size, "no such port: they are d0, u0 and so on");
}

static int set(struct drb_workers *all, const struct drb_setup *s, const char *port, bool drained,
	       char *text, size_t size)
{
	struct drb_worker *w = &all->worker[0];
	const uint32_t ports = ports_of(w, s, port);
	int rc = -EINVAL;

	if (!ports) {
		no_port(port, text, size);
		return rc;
	}
	drb_workers_park(all);
	if (!drained || may_drain(w, s, ports, !port, text, size)) {
		for (uint32_t i = 0; i < w->ports; i++) {
			if ((ports >> i & 1) && w->liveness.port[i].drained != drained)
				drb_liveness_drain(w, i, drained);
		}
		describe(w, s, text, size);
		rc = 0;
	}
	drb_workers_unpark(all);
	return rc;
}

int drb_drain(struct drb_workers *workers, const struct drb_setup *setup, const char *port,
	      char *text, size_t size)
{
	return set(workers, setup, port, true, text, size);
}

int drb_undrain(struct drb_workers *workers, const struct drb_setup *setup, const char *port,
		char *text, size_t size)
{
	return set(workers, setup, port, false, text, size);
}
