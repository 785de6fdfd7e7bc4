// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Ports to another process of this machine: packets pass through rings in shared memory (ring.h). The control
// thread creates their links (link.h).

#include <stdatomic.h>

#include "switch/ports/memif/channel.h"
#include "switch/ports/memif/ring.h"
#include "switch/ports/port.h"

extern const struct drb_port_kind drb_memif_port;

// One worker's part of a port. The worker writes and reads it, by drb_memif_port_change().
struct drb_memif_queue {
	_Alignas(64) struct drb_port_queue base;
	struct drb_doorbell rx, tx;
	struct drb_memif_packets packets;
	int epoll_fd; // who sleeps on the bell of rx; -1: nobody. Constant while workers run
};

// In a port's `own`.
struct drb_memif_port {
	// Whose rings workers have, or are to have. NULL: no link. The control thread writes; any thread reads whether
	// there is one, workers what is in it when they are told to.
	_Atomic(const struct drb_memif_channel *) channel;
	int door; // where the server listens; -1: a client. The control thread's
	struct drb_memif_queue queue[DRB_WORKERS_MAX];
};

static inline struct drb_memif_port *drb_memif_port_of(const struct drb_port *port)
{
	return port->own;
}

// The most descriptors of a ring of the port, their logarithm: as many as a packet socket's ring has frames.
uint8_t drb_memif_log2_ring(const struct drb_port *port);
// A change of worker n: it takes up the rings of the port's channel, or lets go of those that it had.
void drb_memif_port_change(uint32_t n, void *port);
