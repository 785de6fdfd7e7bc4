// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// One worker's part of a packet-socket port.

#include <stdatomic.h>

#include "switch/ports/packet_socket/hello_socket.h"
#include "switch/ports/packet_socket/rx_ring.h"
#include "switch/ports/packet_socket/tx_socket.h"
#include "switch/ports/port.h"

// In a port's `own`, one for each worker.
struct drb_packet_queue {
	_Alignas(64) struct drb_port_queue base;
	struct drb_rx_ring in;
	struct drb_tx_socket out;
	struct drb_hello_socket hellos; // not open in all but the first
	// That it is bound to, 0: hellos leave with the rest. The control thread writes, worker 0 reads.
	atomic_uint interface;
};

// Has queue q's sockets, which open_socket() gives as drb_packet_socket() does, at the port's interface. `first` is the
// queue that the others share frames with; q itself if it is that. 0 or -errno; *step then says what could not be done.
// To be closed in any case.
int drb_packet_queue_open(const struct drb_port *port, struct drb_packet_queue *q,
			  const struct drb_packet_queue *first, int (*open_socket)(void),
			  const char **step);
void drb_packet_queue_close(struct drb_packet_queue *q);

// Functions of struct drb_port_kind.
bool drb_packet_port_is_bound(const struct drb_port *port);
int drb_packet_port_rebind(struct drb_port *port);
