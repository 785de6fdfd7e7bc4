// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Sends the packets of kernel interfaces with AF_PACKET sockets; also those of af_xdp ports on veths.

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
	// Packets to a host go as GSO packets. A switch gets each in a frame of its own, so that what tcpdump and
	// the kernel count at a link between switches are packets.
	bool coalesces;
	struct drb_coalesce_rules rules;
	const char *interface; // its name, whose setup outlives this; NULL unless headed
};

// A packet socket, which receives nothing before it is bound. It takes CAP_NET_RAW. A descriptor, or -errno.
int drb_packet_socket(void);
// Sends to a port's interface by a packet socket, which becomes its own, or by one with PACKET_VNET_HDR that stays the
// caller's. 0 or -errno, and *out is left alone.
int drb_tx_socket_open(struct drb_tx_socket *out, const struct drb_port_setup *port, int fd,
		       bool owned);
// Closes it if it is ours to close; nothing is sent by it any more.
void drb_tx_socket_close(struct drb_tx_socket *out);
// Binds it to another interface, if it is ours. 0 or -errno. Its worker then looks what that takes.
int drb_tx_socket_rebind(const struct drb_tx_socket *out, unsigned interface);
// After something has changed at the interface: what it takes as GSO packets.
void drb_tx_socket_review(struct drb_tx_socket *out);

// Sends packets by an AF_PACKET socket that has no ring to transmit. How many are
// done with and freed; the others are the caller's.
uint32_t drb_tx_socket_send(struct drb_tx_socket *out, struct rte_mbuf **packets, uint32_t count,
			    struct drb_send_result *result);
