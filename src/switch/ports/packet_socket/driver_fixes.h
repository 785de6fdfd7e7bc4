// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Corrects how the af_packet driver of DPDK sets up its sockets, see packet_socket.c.

#include <stdbool.h>

// Set before devices are created: their sockets share each interface's packets, by the hash of the
// flow. Else each interface has one socket, which is in no group.
extern bool drb_packet_fanout;
// Whether the kernel can spare such a group the frames that other sockets send on the interface.
bool drb_packet_fanout_spares(void);
// Set before a device is created, which takes it back with its first socket.
extern bool drb_packet_asks;
// Set while devices are created that packet_send.c sends for: their sockets have no ring to
// transmit, and the driver must not be asked to.
extern bool drb_packet_unringed;
