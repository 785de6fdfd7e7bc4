// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Orders about ports, and which ports an operator may drain. A drained link takes no new traffic from either
// end, while packets in flight still pass, so nothing is lost. The switch refuses an order that would isolate
// a host or a switch, as far as it knows. A drained link that later becomes the last path is used until there
// is another (core/links/port_selection.h).

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "switch/links/liveness.h"

// The ports that an order is about, a bit each: the one of this name, or, for NULL, every port with
// a device. 0: there is none; text says so.
uint64_t drb_drain_ports(const struct drb_liveness *l, const char *port, char *text, size_t size);

struct drb_port_order {
	uint64_t ports; // drb_drain_ports()
	bool on;        // false: back into use
	bool all;       // about the whole switch, which must be above layer 1
};

// Carries an order out, or refuses it as a whole. text becomes one line: what is drained now, or why
// not. 0 or -EINVAL. For the owner of *l.
int drb_drain_set(struct drb_liveness *l, struct drb_port_order order, char *text, size_t size);

// Takes ports down, which nothing objects to: as if cables were cut halfway, so both ends find out by silence. A port without
// hellos is out of use here at once.
int drb_down_set(struct drb_liveness *l, struct drb_port_order order, char *text, size_t size);
