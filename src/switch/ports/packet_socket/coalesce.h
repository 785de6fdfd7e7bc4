// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// GSO packets to send: the reverse of gso_packet.h. Where a device cannot segment, the kernel cuts a GSO
// packet into packets (generic segmentation offload): it repeats the headers, advances TCP's sequence number
// and IPv4's identification, keeps PSH for the last packet and computes the checksums. This makes a GSO
// packet of exactly those packets that the kernel would cut from one, byte for byte, so that they can be
// passed as one.

#include <linux/virtio_net.h>
#include <stdbool.h>
#include <stdint.h>

struct rte_mbuf;

enum {
	DRB_COALESCE_HEADERS_MAX = 14 + 40 + 60, // Ethernet, IPv6, TCP with options
	DRB_COALESCE_OCTETS_MAX = 14 + 65535,    // of a GSO packet
	DRB_COALESCE_UDP_MAX = 64,               // packets of a GSO packet of UDP that kernels take
};

// What comes before the payloads of a GSO packet (packet(7), PACKET_VNET_HDR). The header alone, all zero,
// comes before a finished packet that goes alone.
struct drb_coalesce_header {
	struct virtio_net_hdr cut;
	uint8_t headers[DRB_COALESCE_HEADERS_MAX];
};

// What may be in a GSO packet.
struct drb_coalesce_rules {
	// Octets of the longest packet, 0: none. Of packets with a checksum of their own, which the
	// kernel must cut apart again, and of unfinished ones (ports/unfinished.h).
	uint32_t finished_max, unfinished_max;
	bool udp; // the kernel takes GSO packets of UDP: since Linux 6.2
};

// How many of the packets, count or fewer, are a GSO packet that begins with the first; 1 if there is none.
// The checksums of finished packets are right: those of what is cut are computed again, and a packet
// that was damaged must stay so.
uint32_t drb_coalesce_count(const struct drb_coalesce_rules *rules, struct rte_mbuf *const *packets,
			    uint32_t count);

// The head of a GSO packet of that length, 2 or more. Returns how many octets of head->headers are used,
// which each of its packets has before its payload.
uint32_t drb_coalesce_begin(struct rte_mbuf *const *packets, uint32_t length,
			    struct drb_coalesce_header *head);
