// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The links, as one worker sees them: its copy of what worker 0 publishes. hellos.c writes it,
// decisions and transmit read it.

#include <stdbool.h>
#include <stdint.h>

#include "core/routing/detour.h"

struct drb_links_view {
	struct drb_detour_node node;   // this switch, as detours see it; constant
	uint64_t dead;                 // a bit per port: not to be used. Mostly 0
	uint64_t drained;              // a bit per port: only for packets that would be lost
	uint64_t off;                  // a bit per port: packets in or out are dropped
	uint64_t silenced;             // dead because a worker is stuck
	struct drb_usable_ports ports; // derived from dead, and from routes
	unsigned version;              // of published_links, when last read
	bool reroutes;                 // some port is dead, or an outage is known
	uint64_t *routes;              // ports to each rack, while an outage is known; owned
	unsigned routes_version;       // of published routes, when last read
};
