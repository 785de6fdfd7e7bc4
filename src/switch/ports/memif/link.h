// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The links of memif ports, created and ended on the control thread: sockets, and the worker's part of a
// link. A link finds its peer in any order of starts, and again after the peer has died. The upper switch of
// a link is its client, which looks for its server repeatedly.

#include <stdbool.h>
#include <stdint.h>

#include "switch/ports/port_set.h"

struct event_base;
struct drb_memif_links;

// What the links need of others. Stays the caller's.
struct drb_memif_host {
	struct event_base *base;
	struct drb_port_set *ports;
	// Connects this socket, which waits for nothing, to the server of a port. 0 or -errno.
	int (*connect)(uint32_t port, int fd);
	// The workers have the rings of a port, or have them no more. -errno: they cannot use it.
	int (*changed)(void *context, uint32_t port, bool has_link);
	void *context;
};

// Servers take clients from now on, and clients look for their servers, where there are memif ports. NULL with a
// message printed: out of memory.
struct drb_memif_links *drb_memif_links_begin(const struct drb_memif_host *host);
// While no worker runs: ends all links. NULL: there are none.
void drb_memif_links_end(struct drb_memif_links *links);

// How many ports have no link.
uint32_t drb_memif_links_missing(const struct drb_memif_links *links);
// The switch waits for its links no longer: says which are missing, and looks for their servers less often.
void drb_memif_links_settle(struct drb_memif_links *links);
