// SPDX-License-Identifier: BSD-3-Clause
#include "switch/control/interfaces.h"

#include <errno.h>
#include <net/if.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "common/cli/clock.h"
#include "common/cli/log.h"
#include "switch/control/switch.h"
#include "switch/datapath/changes.h"
#include "switch/ports/interface.h"

// A new interface is mostly bound before it is up. Within this time after it was bound, any change
// of interfaces may mean that it came up.
#define SETTLES_NS UINT64_C(3000000000)
// The period of polls while a port is without its interface, or if there is no netlink socket.
#define LOOK_EVERY_US 500000

static void say_lost(const struct drb_port *p)
{
	drb_warn("port %s: interface \"%s\" is gone: packets to it are dropped%s", p->setup->name,
		 p->setup->interface,
		 p->kind->interface->rebind ? " until there is one of that name" : "");
}

static void say_failed(struct drb_interfaces *all, const struct drb_port *p, int error)
{
	if (all->why[p->index] == error)
		return;
	all->why[p->index] = error;
	if (error == -ENOTSUP)
		drb_warn("port %s: interface \"%s\" was created again, which %s cannot use: "
			 "restart the switch",
			 p->setup->name, p->setup->interface, p->kind->name);
	else
		drb_warn("port %s: cannot use interface \"%s\" again: %s", p->setup->name,
			 p->setup->interface,
			 error == -ETIMEDOUT ? DRB_CHANGE_FAILED : strerror(-error));
}

// Returns true if the port is still without its interface.
static bool interface_look(struct drb_switch *s, struct drb_port *p)
{
	struct drb_interfaces *all = &s->interfaces;
	const struct drb_interface_ops *interface = p->kind ? p->kind->interface : NULL;
	const uint32_t i = p->index;

	if (!interface || interface->is_bound(p)) {
		all->lost[i] = false;
		return false;
	}
	if (!all->lost[i]) {
		say_lost(p);
		drb_workers_look_at_carriers(&s->workers);
	}
	all->lost[i] = true;
	if (drb_interface_index(p->setup->interface) == 0) {
		all->why[i] = 0;
		return true;
	}
	int rc = -ENOTSUP;
	if (interface->rebind && !all->takes[i]) // with a stuck worker, open no sockets in vain
		rc = drb_workers_stuck(&s->workers) >= 0 ? -ETIMEDOUT : interface->rebind(p);
	else if (interface->rebind)
		rc = -EINPROGRESS;
	all->takes[i] = rc == -EINPROGRESS;
	if (!all->takes[i])
		drb_interface_bound(s, p, rc);
	return true;
}

void drb_interface_bound(void *context, struct drb_port *p, int rc)
{
	struct drb_switch *s = context;
	struct drb_interfaces *all = &s->interfaces;

	all->takes[p->index] = false;
	if (rc == 0) {
		drb_info("port %s: interface \"%s\" is back and in use", p->setup->name,
			 p->setup->interface);
		all->lost[p->index] = false;
		all->why[p->index] = 0;
		all->settled_ns = drb_clock_now() + SETTLES_NS;
		drb_workers_look_at_carriers(&s->workers);
	} else if (rc != -ENODEV) // -ENODEV: it has gone again meanwhile
		say_failed(all, p, rc);
}

static void interfaces_look(int fd, short events, void *context)
{
	const struct timeval soon = {.tv_usec = LOOK_EVERY_US};
	struct drb_switch *s = context;
	bool missing = false;

	if (events & EV_READ)
		drb_interfaces_changed(fd);
	for (uint32_t i = 0; i < s->ports.count; i++)
		missing |= interface_look(s, &s->ports.port[i]);
	if (missing || !s->interfaces.changed)
		event_add(s->interfaces.look_again, &soon);
	if (drb_clock_now() < s->interfaces.settled_ns)
		drb_workers_look_at_carriers(&s->workers);
}

int drb_interfaces_open(struct drb_switch *s)
{
	struct drb_interfaces *all = &s->interfaces;
	const int fd = drb_interfaces_watch();

	if (fd >= 0)
		all->changed = event_new(s->base, fd, EV_READ | EV_PERSIST, interfaces_look, s);
	all->look_again = evtimer_new(s->base, interfaces_look, s);
	if (!all->look_again || (all->changed && event_add(all->changed, NULL) < 0)) {
		drb_error("no memory to watch interfaces");
		drb_interfaces_close(s);
		return -ENOMEM;
	}
	interfaces_look(-1, 0, s);
	return 0;
}

void drb_interfaces_close(struct drb_switch *s)
{
	struct drb_interfaces *all = &s->interfaces;

	if (all->changed) {
		close(event_get_fd(all->changed));
		event_free(all->changed);
	}
	if (all->look_again)
		event_free(all->look_again);
	all->changed = all->look_again = NULL;
}
