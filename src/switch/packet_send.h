// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Sends the packets of af_packet ports, past the driver.

#include <stdint.h>

struct rte_mbuf;

// Sends packets by an AF_PACKET socket that has no ring to transmit (packet_socket.h). How many
// the kernel took, which are freed; it may have lost some of them. The others are the caller's.
uint32_t drb_packet_send(int fd, struct rte_mbuf **packets, uint32_t count);
