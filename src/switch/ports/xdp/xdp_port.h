// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Ports on AF_XDP sockets (xsk.h), one for each worker, with a program in front that steers frames to them (steer.h). The
// sockets send as well, but at veths, where packet sockets do (packet_socket/tx_socket.h): there the kernel makes a packet of
// each frame anyway.

#include "core/counters.h"
#include "switch/ports/port.h"

extern const struct drb_port_kind drb_xdp_port;

// Buffers that are lent to the kernel for all such ports of a switch, and whether they may be in two pages each.
uint32_t drb_xdp_port_lent(const struct drb_setup *setup);
bool drb_xdp_port_packs(const struct drb_setup *setup);

// What the kernel has counted in front of a port of this kind so far. False if it has no program.
bool drb_xdp_port_count(const struct drb_port *port, struct drb_xdp_counters *counts);
