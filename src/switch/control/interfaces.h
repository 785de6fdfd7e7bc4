// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Handles interfaces that are deleted and created again while the switch runs. Binds their ports
// again, or prints a message that they are gone. A port without its interface has no carrier, so
// its link is down within a second. Packets to it are dropped and counted (not_sent).

#include <stdbool.h>
#include <stdint.h>

#include <event2/event.h>

#include "switch/ports/port_set.h"

struct drb_switch;

struct drb_interfaces {
	struct event *changed;    // netlink socket; NULL: there is none, so the timer polls
	struct event *look_again; // timer, while a port is without its interface
	uint64_t settled_ns;      // until then, an interface that was bound again may come up
	bool lost[DRB_PORTS_MAX];
	bool takes[DRB_PORTS_MAX]; // rebind() is under way
	int why[DRB_PORTS_MAX];    // last reported -errno of rebind(), so that it is logged once
};

// The bound() of struct drb_port_users. The context is a struct drb_switch.
void drb_interface_bound(void *context, struct drb_port *port, int rc);
int drb_interfaces_open(struct drb_switch *s);
void drb_interfaces_close(struct drb_switch *s);
