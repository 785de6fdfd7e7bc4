// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Cuts GSO packets. A GSO packet is several TCP segments or UDP packets of one flow that a kernel
// passes as one frame. It has the headers of the first and the payload of all (generic segmentation
// offload; packet(7), PACKET_VNET_HDR). It is cut into the packets that would be on a wire. The
// kernel's description of a GSO packet may come from a host, so it may be any bytes.

#include <linux/virtio_net.h>
#include <stdbool.h>
#include <stdint.h>

#ifndef VIRTIO_NET_HDR_GSO_UDP_L4 // headers before Linux 6.2
#define VIRTIO_NET_HDR_GSO_UDP_L4 5
#endif

enum {
	DRB_GSO_HEADERS_MAX =
		14 + 8 + 60 + 60, // Ethernet, two VLAN tags, IPv4 and TCP with options
	DRB_GSO_MAX = DRB_GSO_HEADERS_MAX + 65535, // bytes of a GSO packet
};

struct drb_gso {
	uint32_t length;    // bytes: headers once, payload of all segments
	uint32_t headers;   // bytes before the payload
	uint32_t ip;        // bytes before the IP header
	uint32_t transport; // bytes before the TCP or UDP header
	uint32_t size;      // bytes of payload of each segment; the last one may have fewer
	uint32_t pseudo;    // sum of the pseudo-header without its length
	bool ipv4, tcp;
	// The outer packet, if the packet is in a tunnel.
	struct {
		uint32_t ip;  // bytes before the IP header; 0: there is no tunnel
		uint32_t end; // bytes up to the end of the IP header
		uint32_t pseudo;
		bool ipv4, udp;
	} outer;
};

// Reads the headers of a GSO packet of `length` bytes, from its Ethernet header on. False: it
// cannot be cut, because description and headers contradict each other, or it is not TCP or UDP
// over IP. It may be in a tunnel: in UDP (VXLAN, Geneve), GRE or IP. Then the checksum left to the
// device is the inner one.
bool drb_gso_read(struct drb_gso *gso, const struct virtio_net_hdr *cut, const uint8_t *frame,
		  uint32_t length);

// Returns the number of segments of the GSO packet.
static inline uint32_t drb_gso_segments(const struct drb_gso *t)
{
	return (t->length - t->headers + t->size - 1) / t->size;
}

// Returns the bytes of payload of segment n.
static inline uint32_t drb_gso_payload(const struct drb_gso *t, uint32_t n)
{
	uint32_t left = t->length - t->headers - n * t->size;

	return left < t->size ? left : t->size;
}

// Writes the headers of segment n. Its payload begins n * size bytes behind the headers of the GSO
// packet. Leaves its TCP or UDP checksum unfinished (ports/unfinished.h).
void drb_gso_write_headers(const struct drb_gso *gso, const uint8_t *frame, uint32_t n,
			   uint8_t *to);
