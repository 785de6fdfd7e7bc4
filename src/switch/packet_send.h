// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Sends the packets of af_packet ports, past the driver.

#include <stdint.h>

struct rte_mbuf;

struct drb_packet_lost {
	uint32_t packets;
	uint64_t octets;
};

// Sends packets by an AF_PACKET socket that has no ring to transmit (packet_socket.h). How many are
// done with and freed; the others are the caller's. Of those that are, some the kernel could not
// send: *lost.
uint32_t drb_packet_send(int fd, struct rte_mbuf **packets, uint32_t count,
			 struct drb_packet_lost *lost);
