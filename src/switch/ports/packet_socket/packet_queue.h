// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// One worker's part of a packet-socket port.

#include <stdatomic.h>

#include "switch/ports/packet_socket/hello_socket.h"
#include "switch/ports/packet_socket/rx_ring.h"
#include "switch/ports/packet_socket/tx_socket.h"
#include "switch/ports/port.h"

// A port's `own` is an array of these, by worker.
struct drb_packet_queue {
	_Alignas(64) struct drb_port_queue base;
	struct drb_rx_ring in;
	struct drb_tx_socket out;
	struct drb_hello_socket hellos; // open in the first queue only
	// Index of the interface for hellos; 0: they leave by send(). The control thread writes it,
	// worker 0 reads it.
	atomic_uint interface;
};

// Opens queue q's sockets at the port's interface. open_socket() is drb_packet_socket() or its
// like. `first` is the queue whose frames the others share; it may be q itself. Returns 0 or
// -errno, with *step naming the step that failed. The caller must close q in any case.
int drb_packet_queue_open(const struct drb_port *port, struct drb_packet_queue *q,
			  const struct drb_packet_queue *first, int (*open_socket)(void),
			  const char **step);
void drb_packet_queue_close(struct drb_packet_queue *q);

// Functions of struct drb_port_kind.
bool drb_packet_port_is_bound(const struct drb_port *port);
int drb_packet_port_rebind(struct drb_port *port);
