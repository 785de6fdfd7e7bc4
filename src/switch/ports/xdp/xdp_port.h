// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Ports on AF_XDP sockets (xsk.h), one for each worker. An XDP program steers frames to them
// (steer.h). The sockets also send, except on veths. There, packet sockets send
// (packet_socket/tx_socket.h), because the kernel makes a packet of each frame anyway.

#include "switch/ports/port.h"

extern const struct drb_port_kind drb_xdp_port;
