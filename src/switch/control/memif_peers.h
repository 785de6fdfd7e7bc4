// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Connects memif ports to their peers (ports/memif/link.h), which may start at any time and in any
// order. Meanwhile the switch forwards through its other ports.

#include <stdint.h>

#include "switch/ports/memif/link.h"

struct drb_switch;

// The pending request of a port's link: a connection through the broker, or a change of the
// workers. A link has at most one.
struct drb_memif_wish {
	struct drb_switch *s;
	uint32_t port;
	int fd, rc;    // for a connection
	bool has_link; // for a change: the workers get the link, or lose it
	struct drb_change change;
	void (*done)(void *link, int rc);
	void *link;
};

struct drb_memif_peers {
	struct drb_memif_wish wish[DRB_PORTS_MAX];
	struct drb_memif_host host;
	struct drb_memif_links *links;
	struct event *looks;
	uint32_t missing; // ports without a peer, when last counted
};

int drb_memif_peers_open(struct drb_switch *s);
void drb_memif_peers_close(struct drb_switch *s);
