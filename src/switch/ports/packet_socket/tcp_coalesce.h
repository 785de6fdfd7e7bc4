// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Consecutive TCP segments as one GSO packet. Where a device cannot, the kernel itself cuts a packet
// that is longer than a frame into segments (generic segmentation offload): it repeats the headers,
// counts the sequence number and IPv4's identification on, keeps PSH for the last one and computes
// the checksums. Packets that it would cut from one, octet for octet, can be handed over as that one.

#include <linux/virtio_net.h>
#include <stdint.h>

struct rte_mbuf;

enum {
	DRB_COALESCE_HEADERS_MAX = 14 + 40 + 60, // Ethernet, IPv6, TCP with options
	DRB_COALESCE_OCTETS_MAX = 14 + 65535,    // of a GSO packet
};

// What comes before the payloads of a GSO packet (packet(7), PACKET_VNET_HDR). The header alone, all zero,
// comes before a packet that is not to be cut.
struct drb_coalesce_header {
	struct virtio_net_hdr cut;
	uint8_t headers[DRB_COALESCE_HEADERS_MAX];
};

// How many of the packets, count or fewer, make a GSO packet that begins with the first; 1 if they
// make none. Their checksums are right: those of what is cut are computed again, and a packet that
// was damaged must stay so.
uint32_t drb_coalesce_count(struct rte_mbuf *const *packets, uint32_t count);

// The head of a GSO packet of so many segments, 2 or more. Returns how many octets of head->headers
// are used, which each segment has before its payload.
uint32_t drb_coalesce_begin(struct rte_mbuf *const *packets, uint32_t length,
			    struct drb_coalesce_header *head);
