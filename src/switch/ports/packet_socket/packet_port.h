// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Ports on kernel interfaces, by packet sockets (packet(7)). Each worker receives from a ring that
// it shares with the kernel (rx_ring.h) and sends with sendmmsg() (tx_socket.h).

#include "switch/ports/port.h"

extern const struct drb_port_kind drb_packet_port;

// True if workers may send by separate sockets without receiving each other's frames.
bool drb_packet_port_may_send_apart(uint32_t workers);
