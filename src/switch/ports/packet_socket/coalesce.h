// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Makes GSO packets to send: the reverse of gso_packet.h. If a device cannot segment, the kernel
// cuts a GSO packet into packets (generic segmentation offload). It repeats the headers, advances
// TCP's sequence number and IPv4's identification, keeps PSH for the last packet, and computes the
// checksums. Packets are coalesced into a GSO packet only if the kernel would cut exactly the same
// packets from it, byte for byte.

#include <linux/virtio_net.h>
#include <stdbool.h>
#include <stdint.h>

struct rte_mbuf;

enum {
	DRB_COALESCE_HEADERS_MAX = 14 + 40 + 60, // Ethernet, IPv6, TCP with options
	DRB_COALESCE_OCTETS_MAX = 14 + 65535,    // of a GSO packet
	DRB_COALESCE_UDP_MAX = 64,               // of a GSO packet of UDP: limit of kernels
};

// The part of a GSO packet before the payloads (packet(7), PACKET_VNET_HDR). A single finished
// packet has only the virtio header before it, all zero.
struct drb_coalesce_header {
	struct virtio_net_hdr cut;
	uint8_t headers[DRB_COALESCE_HEADERS_MAX];
};

// Packets that may be coalesced.
struct drb_coalesce_rules {
	// Bytes of the longest packet with a finished checksum, and with an unfinished one
	// (ports/unfinished.h); 0: none. The kernel must cut finished packets apart again.
	uint32_t finished_max, unfinished_max;
	bool udp; // the kernel accepts GSO packets of UDP: since Linux 6.2
};

// Returns how many of the packets, from the first and at most `count`, can be one GSO packet; 1 if
// none. Finished packets are only coalesced if their checksums are right. The kernel computes the
// checksums of the packets that it cuts, which would hide that a packet was damaged.
uint32_t drb_coalesce_count(const struct drb_coalesce_rules *rules, struct rte_mbuf *const *packets,
			    uint32_t count);

// Makes the head of a GSO packet of `length` packets, 2 or more. Returns the used bytes of
// head->headers, which are also the bytes of each packet before its payload.
uint32_t drb_coalesce_begin(struct rte_mbuf *const *packets, uint32_t length,
			    struct drb_coalesce_header *head);
