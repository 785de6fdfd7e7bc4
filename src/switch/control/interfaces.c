// SPDX-License-Identifier: BSD-3-Clause
#include "switch/control/interfaces.h"

#include <errno.h>
#include <net/if.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include <linux/capability.h>

#include "common/cli/clock.h"
#include "common/cli/log.h"
#include "switch/ports/interface.h"
#include "switch/startup/privilege.h"

// An interface is taken again before it is up, mostly: so long afterwards each change may be that.
#define SETTLES_NS UINT64_C(3000000000)
// While a port is without its interface, and where there is no netlink socket.
#define LOOK_EVERY_US 500000

static struct drb_workers *workers;
static struct drb_port_set *port_set;
static struct event *changed, *look_again;
static uint64_t settled_ns; // when the last interface that was taken again is as it will be
static bool lost[DRB_PORTS_MAX];
static int why[DRB_PORTS_MAX]; // said last: why a port has not taken its interface again

bool drb_interfaces_need_privilege(const struct drb_port_set *set)
{
	for (uint32_t i = 0; i < set->count; i++) {
		const struct drb_port *p = &set->port[i];
		if (p->kind && p->kind->interface && p->kind->interface->rebind && p->workers > 1)
			return true;
	}
	return false;
}

static void say_lost(const struct drb_port *p)
{
	drb_warn("port %s: interface \"%s\" is gone: what is sent there is dropped%s",
		 p->setup->name, p->setup->interface,
		 p->kind->interface->rebind ? " until there is one of that name" : "");
}

static void say_failed(const struct drb_port *p, int error)
{
	if (why[p->index] == error)
		return;
	why[p->index] = error;
	if (error == -ENOTSUP)
		drb_warn("port %s: interface \"%s\" was made again, which %s cannot take: restart "
			 "the switch",
			 p->setup->name, p->setup->interface, p->kind->name);
	else
		drb_warn("port %s: cannot take interface \"%s\" again: %s", p->setup->name,
			 p->setup->interface,
			 error == -ETIMEDOUT ? DRB_APPLY_FAILED : strerror(-error));
}

// True while the port is without its interface.
static bool look_at(struct drb_port *p)
{
	const struct drb_interface_ops *interface = p->kind ? p->kind->interface : NULL;
	const uint32_t i = p->index;

	if (!interface || interface->is_bound(p)) {
		lost[i] = false;
		return false;
	}
	if (!lost[i]) {
		say_lost(p);
		drb_workers_look_at_carriers(workers);
	}
	lost[i] = true;
	if (if_nametoindex(p->setup->interface) == 0) {
		why[i] = 0;
		return true;
	}
	int rc = -ENOTSUP;
	if (interface->rebind && drb_workers_stuck(workers) >= 0) {
		rc = -ETIMEDOUT; // spares the sockets
	} else if (interface->rebind) {
		drb_privilege_raise(CAP_NET_RAW);
		rc = interface->rebind(p);
		drb_privilege_lower();
	}
	if (rc == 0) {
		drb_info("port %s: interface \"%s\" is there again and used", p->setup->name,
			 p->setup->interface);
		why[i] = 0;
		settled_ns = drb_clock_now() + SETTLES_NS;
	} else if (rc != -ENODEV) // it was there a moment ago
		say_failed(p, rc);
	lost[i] = rc < 0;
	return lost[i];
}

static void look(int fd, short events, void *unused)
{
	const struct timeval soon = {.tv_usec = LOOK_EVERY_US};
	bool missing = false;

	(void)unused;
	if (events & EV_READ)
		drb_interfaces_changed(fd);
	for (uint32_t i = 0; i < port_set->count; i++)
		missing |= look_at(&port_set->port[i]);
	if (missing || !changed)
		event_add(look_again, &soon);
	if (drb_clock_now() < settled_ns)
		drb_workers_look_at_carriers(workers);
}

int drb_interfaces_begin(struct event_base *base, struct drb_workers *all, struct drb_port_set *set)
{
	const int fd = drb_interfaces_watch();

	workers = all;
	port_set = set;
	if (fd >= 0)
		changed = event_new(base, fd, EV_READ | EV_PERSIST, look, NULL);
	look_again = evtimer_new(base, look, NULL);
	if (!look_again || (changed && event_add(changed, NULL) < 0)) {
		drb_error("cannot watch interfaces: no memory");
		return -ENOMEM;
	}
	look(-1, 0, NULL);
	return 0;
}

void drb_interfaces_end(void)
{
	if (changed) {
		close(event_get_fd(changed));
		event_free(changed);
	}
	if (look_again)
		event_free(look_again);
	changed = look_again = NULL;
}
