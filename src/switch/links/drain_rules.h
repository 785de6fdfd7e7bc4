// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Orders about ports, and which ports an operator may drain. A drained link takes no new traffic
// from either end, while packets in flight still pass, so nothing is lost. The switch refuses an
// order that would isolate a host or a switch, as far as it knows. A drained link that later
// becomes the last path is used until there is another (core/links/port_selection.h).

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "switch/links/liveness.h"

enum drb_port_order { DRB_DRAIN, DRB_UNDRAIN, DRB_DOWN, DRB_UP };

// Carries an order out, or refuses it as a whole. port: the name of one; NULL: all ports that have
// a device or wait for their memif peer. A layer-1 switch never drains all its ports. text becomes
// one line: the ports that are drained or down now, or why nothing was changed. 0 or -EINVAL. Only
// the owner of *l calls it. Taking ports down is never refused. A port that is down works like a
// cut cable: both ends notice that hellos are missing. This end stops using a port without hellos
// at once.
int drb_port_order(struct drb_liveness *l, enum drb_port_order order, const char *port, char *text,
		   size_t size);
