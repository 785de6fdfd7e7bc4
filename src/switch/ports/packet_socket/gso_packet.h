// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A GSO packet: several TCP segments or UDP packets of one flow that a kernel passes as one frame, with the
// headers of the first and the payload of all (generic segmentation offload; packet(7), PACKET_VNET_HDR).
// This cuts it into the packets that would be on a wire. The kernel's description of a GSO packet may come
// from a host: any bytes.

#include <linux/virtio_net.h>
#include <stdbool.h>
#include <stdint.h>

#ifndef VIRTIO_NET_HDR_GSO_UDP_L4 // headers before Linux 6.2
#define VIRTIO_NET_HDR_GSO_UDP_L4 5
#endif

enum {
	DRB_GSO_HEADERS_MAX =
		14 + 8 + 60 + 60, // Ethernet, two VLAN tags, IPv4 and TCP with options
	DRB_GSO_MAX = DRB_GSO_HEADERS_MAX + 65535, // octets of a GSO packet
};

struct drb_gso {
	uint32_t length;    // octets: headers once, payload of all segments
	uint32_t headers;   // octets before the payload
	uint32_t ip;        // octets before the IP header
	uint32_t transport; // octets before the TCP or UDP header
	uint32_t size;      // octets of payload of each segment, of the last one or fewer
	uint32_t pseudo;    // sum of the pseudo-header but for its length
	bool ipv4, tcp;
	// Of the packet that all this is in, if it is in a tunnel.
	struct {
		uint32_t ip;  // octets before the IP header; 0: there is no tunnel
		uint32_t end; // octets before what follows it, such as a UDP header
		uint32_t pseudo;
		bool ipv4, udp;
	} outer;
};

// Reads the headers of a GSO packet, `length` octets from its Ethernet header on. False: it is none that
// can be cut, because the two contradict each other, or a header is not plain TCP or UDP over IP. That may be in
// a tunnel, in UDP (VXLAN, Geneve), GRE or IP: then the checksum that is left to the device is the inner one.
bool drb_gso_read(struct drb_gso *gso, const struct virtio_net_hdr *cut, const uint8_t *frame,
		  uint32_t length);

// Segments of the GSO packet.
static inline uint32_t drb_gso_segments(const struct drb_gso *t)
{
	return (t->length - t->headers + t->size - 1) / t->size;
}

// Octets of payload of segment n.
static inline uint32_t drb_gso_payload(const struct drb_gso *t, uint32_t n)
{
	uint32_t left = t->length - t->headers - n * t->size;

	return left < t->size ? left : t->size;
}

// Writes the headers of segment n. Its payload begins n * size octets behind the headers of the
// GSO packet. Its TCP or UDP checksum is left unfinished (ports/unfinished.h).
void drb_gso_write_headers(const struct drb_gso *gso, const uint8_t *frame, uint32_t n,
			   uint8_t *to);
