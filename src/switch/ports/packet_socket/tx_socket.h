// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Sends packets to kernel interfaces with AF_PACKET sockets, also for af_xdp ports on veths.

#include <stdbool.h>
#include <stdint.h>

#include "switch/ports/packet_socket/coalesce.h"
#include "switch/ports/port.h"

struct rte_mbuf;

struct drb_tx_socket {
	int fd;      // -1: none, the AF_XDP socket sends
	bool owned;  // close it at the end
	bool headed; // each message begins with a virtio-net header
	bool full;   // it refused a packet and has not been writable since
	// Packets are coalesced into GSO packets, as far as the rules allow.
	bool coalesces;
	bool to_switch; // the other end is a switch, not a host
	struct drb_coalesce_rules rules;
	const char *interface; // name, owned by the setup; NULL unless headed
};

// Opens a packet socket, which receives nothing before it is bound. Needs CAP_NET_RAW. Returns a
// descriptor or -errno.
int drb_packet_socket(void);
// Prepares to send to a port's interface by the packet socket fd; returns a negative fd unchanged.
// If owned, takes ownership of fd, also on errors. Otherwise the caller owns fd, which must have
// PACKET_VNET_HDR. counted: switches can count the packets in lost GSO packets; otherwise no GSO
// packets are sent to a switch. Returns 0, or -errno with *out unchanged.
int drb_tx_socket_open(struct drb_tx_socket *out, const struct drb_port_setup *port, int fd,
		       bool owned, bool counted);
// Ends sending, and closes the socket if it is owned.
void drb_tx_socket_close(struct drb_tx_socket *out);
// Binds an owned socket to another interface. Returns 0 or -errno. The worker then must call
// drb_tx_socket_review().
int drb_tx_socket_rebind(const struct drb_tx_socket *out, unsigned interface);
// Reads which GSO packets the interface takes. Called after an interface or the rate has changed.
// paced: the port has a rate.
void drb_tx_socket_review(struct drb_tx_socket *out, bool paced);

// Sends packets, in order. Returns how many are sent or lost and freed; the caller keeps the
// others.
uint32_t drb_tx_socket_send(struct drb_tx_socket *out, struct rte_mbuf **packets, uint32_t count,
			    struct drb_send_result *result);
