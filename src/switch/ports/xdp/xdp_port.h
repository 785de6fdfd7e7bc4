// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Ports on AF_XDP sockets: DPDK's af_xdp driver with our steering program (steer.h), which sends by
// a packet socket where it can (packet_socket/tx_socket.h): copying AF_XDP makes a packet of each
// frame anyway.

#include "core/counters.h"
#include "switch/ports/port.h"

extern const struct drb_port_kind drb_xdp_port;

// What the kernel has counted in front of a port of this kind so far. False if its program does not
// count.
bool drb_xdp_port_count(const struct drb_port *port, struct drb_xdp_counters *counts);
