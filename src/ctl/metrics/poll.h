// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Everything that the switches of this machine tell over their stats sockets, read at once for a
// metrics reply. Switches are asked side by side, so one that hangs costs the others nothing.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/telemetry/switch_reader.h"

struct metrics_port {
	struct drb_switch_port port; // name and counters
	struct drb_switch_link link; // peer, state, queue limit
};

struct metrics_switch {
	char fabric[DRB_FABRIC_MAX + 1], name[DRB_NAME_MAX];
	uint32_t layer, label;
	int error; // 0, or the negative errno that kept it from answering: the rest is not valid then
	struct drb_switch_info info;
	struct drb_switch_routing routing;
	struct drb_switch_drops drops;
	struct drb_switch_differences differences;
	struct drb_switch_worker worker;
	struct metrics_port *ports; // of info.ports; owned
	uint32_t port_count;
};

struct metrics_poll {
	struct metrics_switch *switches; // by fabric, layer and label; owned
	size_t count;
};

// fabric: NULL for all. runtime: NULL for the places where EAL puts sockets. A switch that was
// killed left a socket and is listed with its error; processes that are no drbswitch are not
// listed. 0 or -ENOMEM.
int metrics_poll(const char *runtime, const char *fabric, uint32_t timeout_ms,
		 struct metrics_poll *poll);
void metrics_poll_free(struct metrics_poll *poll);
