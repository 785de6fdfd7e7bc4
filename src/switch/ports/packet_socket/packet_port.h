// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Ports on interfaces of the kernel, by packet sockets (packet(7)): each worker receives from a ring
// that it shares with the kernel (rx_ring.h) and sends by sendmmsg() (tx_socket.h).

#include "switch/ports/port.h"

extern const struct drb_port_kind drb_packet_port;

// Whether packets may go in bundles (ports/bundle.h): between two switches, where frames of a group are not shared
// out among workers by what is in them.
bool drb_packet_port_may_bundle(const struct drb_port *port);
// Whether workers may send by sockets of their own without receiving each other's frames.
bool drb_packet_port_may_send_apart(uint32_t workers);
