// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Sends the packets of kernel interfaces by AF_PACKET sockets; also those of af_xdp ports on veths,
// past DPDK's driver.

#include <stdbool.h>
#include <stdint.h>

#include "switch/ports/port.h"

struct rte_mbuf;

struct drb_tx_socket {
	int fd;      // -1: none; the kind's own way is taken
	bool headed; // ours to close: before each packet it wants a header that tells of GSO packets
	bool full;   // it refused something since it was last asked whether it takes more
	uint32_t gso_frame;    // octets of the longest segment of a GSO packet (tcp_coalesce.h)
	const char *interface; // its name, whose setup outlives this; NULL unless headed
};

// A socket that takes GSO packets, if what is cut from them leaves the interface as whole frames with
// complete checksums (veth_offload.h); false, and *out is left alone, if there can be none.
bool drb_tx_socket_open(struct drb_tx_socket *out, const char *interface);
// Closes it if it is ours to close; nothing is sent by it any more.
void drb_tx_socket_close(struct drb_tx_socket *out);
// After something has changed at the interface: whether it still takes GSO packets.
void drb_tx_socket_review(struct drb_tx_socket *out);

// Sends packets by an AF_PACKET socket that has no ring to transmit. How many are
// done with and freed; the others are the caller's.
uint32_t drb_tx_socket_send(struct drb_tx_socket *out, struct rte_mbuf **packets, uint32_t count,
			    struct drb_send_result *result);
