// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The links of memif ports: sockets, and the workers' part of a link. The control thread creates
// and ends them. A link finds its peer in any order of starts, and again after the peer has died.
// The upper switch of a link is the client, and tries repeatedly to reach its server.

#include <stdbool.h>
#include <stdint.h>

#include "switch/ports/port_set.h"

struct event_base;
struct drb_memif_links;

// Functions that the links call, and ports. Owned by the caller.
struct drb_memif_host {
	struct event_base *base;
	struct drb_port_set *ports;
	// Connects this non-blocking socket to the server of a port. done() gets 0 or -errno.
	void (*connect)(void *context, uint32_t port, int fd, void (*done)(void *link, int rc),
			void *link);
	// Gives workers the rings of a port, or takes them away (drb_memif_port_change()). done()
	// gets 0, or -ETIMEDOUT: nothing was changed. Taking them away waits for stuck workers
	// instead.
	void (*change)(void *context, uint32_t port, bool has_link,
		       void (*done)(void *link, int rc), void *link);
	void *context;
};

// Begins the links of all memif ports: servers accept clients, and clients try to reach their
// servers. NULL with a message printed: out of memory.
struct drb_memif_links *drb_memif_links_begin(const struct drb_memif_host *host);
// Ends all links, while no worker runs. `links` may be NULL.
void drb_memif_links_end(struct drb_memif_links *links);

// Returns the number of ports without a link.
uint32_t drb_memif_links_missing(const struct drb_memif_links *links);
// Logs the peers whose doorbells begin to rest. settle: the switch no longer waits for its links.
// The first such call logs the peers that have never connected; from then on, clients try less
// often.
void drb_memif_links_look(struct drb_memif_links *links, bool settle);
