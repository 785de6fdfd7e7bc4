// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Ports to another process of this machine. Packets pass through rings in shared memory (ring.h).
// The control thread creates the links (link.h).

#include <stdatomic.h>

#include "switch/ports/memif/channel.h"
#include "switch/ports/memif/ring.h"
#include "switch/ports/port.h"

extern const struct drb_port_kind drb_memif_port;

// One worker's part of a port. The worker owns it and changes it in drb_memif_port_change().
struct drb_memif_queue {
	_Alignas(64) struct drb_port_queue base;
	struct drb_doorbell rx, tx;
	struct drb_memif_packets packets;
	int epoll_fd; // set with the doorbell of rx; -1: none. Constant while workers run
};

// A port's `own`.
struct drb_memif_port {
	// The channel whose rings workers have or are getting. NULL: no link. The control thread
	// writes it. Any thread may compare it with NULL; workers read the channel in
	// drb_memif_port_change().
	_Atomic(const struct drb_memif_channel *) channel;
	int door; // listening socket of a server; -1: a client. Owned by the control thread
	struct drb_memif_queue queue[DRB_WORKERS_MAX];
};

static inline struct drb_memif_port *drb_memif_port_of(const struct drb_port *port)
{
	return port->own;
}

// Returns the binary logarithm of the most descriptors of a ring of the port. Like a packet
// socket's ring, the ring holds the packets that arrive while the switch gets no CPU.
uint8_t drb_memif_log2_ring(const struct drb_port *port);
// A change of worker n: it gets the rings of the port's channel, or gives up its rings.
void drb_memif_port_change(uint32_t n, void *port);
