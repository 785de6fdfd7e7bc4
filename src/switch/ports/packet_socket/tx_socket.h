// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Sends the packets of kernel interfaces by AF_PACKET sockets; also those of af_xdp ports on veths,
// past DPDK's driver.

#include <stdbool.h>
#include <stdint.h>

#include "switch/ports/packet_socket/coalesce.h"
#include "switch/ports/port.h"

struct rte_mbuf;

struct drb_tx_socket {
	int fd;      // -1: none; the kind's own way is taken
	bool owned;  // ours to close
	bool headed; // before each packet it wants a header that tells of GSO packets
	bool full;   // it refused something since it was last asked whether it takes more
	struct drb_coalesce_rules rules;
	uint32_t slot;         // octets of a bundle's slots (ports/bundle.h); 0: there are none
	uint32_t bundle_max;   // octets of the longest bundle that both ends take; 0: none
	uint16_t neighbour;    // MTU of the longest that the neighbour takes
	const char *interface; // its name, whose setup outlives this; NULL unless headed
};

// A socket for an interface, or in `fd` one with PACKET_VNET_HDR that is the caller's, unless -1.
// False, and *out is left alone, if there can be none.
bool drb_tx_socket_open(struct drb_tx_socket *out, const char *interface, int fd);
// Closes it if it is ours to close; nothing is sent by it any more.
void drb_tx_socket_close(struct drb_tx_socket *out);
// Binds it to another interface, if it is ours. Its worker is parked. 0 or -errno.
int drb_tx_socket_rebind(struct drb_tx_socket *out, unsigned interface);
// After something has changed at the interface: what it takes as GSO packets.
void drb_tx_socket_review(struct drb_tx_socket *out);

// Packets may go in bundles, if the neighbour says so: in a fabric with frames of up to frame_max octets.
void drb_tx_socket_may_bundle(struct drb_tx_socket *out, uint32_t frame_max);
// The MTU of the longest bundle that this end takes, as the interface has it; 0: none.
uint16_t drb_tx_socket_bundle_mtu(const struct drb_tx_socket *out);
// What the neighbour takes; 0: none.
void drb_tx_socket_set_bundle_mtu(struct drb_tx_socket *out, uint16_t mtu);

// Sends packets by an AF_PACKET socket that has no ring to transmit. How many are
// done with and freed; the others are the caller's.
uint32_t drb_tx_socket_send(struct drb_tx_socket *out, struct rte_mbuf **packets, uint32_t count,
			    struct drb_send_result *result);
