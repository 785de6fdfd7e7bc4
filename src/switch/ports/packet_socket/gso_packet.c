// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/packet_socket/gso_packet.h"

#include <string.h>

#include "core/packet/bytes.h"
#include "core/packet/checksum.h"
#include "core/packet/wire.h"
#include "switch/ports/unfinished.h"

// TCP flags that only the first segment keeps; flags that only the last segment keeps.
enum { TCP_FIRST = 0x80 /* CWR */, TCP_LAST = DRB_TCP_FIN | 0x08 /* PSH */ };
enum { TCP_SEQUENCE = 4, TCP_DATA_OFFSET = 12, IPV4_ID = 4, TAGS_MAX = 2 };
// Protocols of tunnels: IP in IP, IPv6 in IP, and GRE. GRE with checksums or sequence numbers is
// not cut.
enum { IN_IPV4 = 4, IN_IPV6 = 41, IN_GRE = 47, GRE_NOT_REPEATED = 0x90 };

// Reads the Ethernet header and its tags. False if the frame ends in them, or is not IP.
static bool read_ethernet(struct drb_gso *t, const uint8_t *frame)
{
	uint32_t at = DRB_ETHER_TYPE;

	for (uint32_t tags = 0; at + 2 <= t->length; tags++, at += DRB_VLAN_TAG) {
		uint16_t type = drb_load16(frame + at);
		if (tags < TAGS_MAX && (type == DRB_ETHERTYPE_VLAN || type == DRB_ETHERTYPE_QINQ))
			continue;
		t->ip = at + 2;
		t->ipv4 = type == DRB_ETHERTYPE_IPV4;
		return t->ipv4 || type == DRB_ETHERTYPE_IPV6;
	}
	return false;
}

// Reads the IP header, whose length must match the GSO packet. Options of IPv4 are repeated in each
// segment. Packets with extension headers of IPv6, and fragments, are not cut.
static bool read_ip(struct drb_gso *t, const uint8_t *frame, uint8_t *protocol)
{
	const uint8_t *ip = frame + t->ip;
	uint32_t left = t->length - t->ip, header, said;

	if (left < (t->ipv4 ? (uint32_t)DRB_IPV4_HEADER : (uint32_t)DRB_IPV6_HEADER))
		return false;
	if (t->ipv4) {
		header = (ip[0] & 0xfu) * 4;
		said = drb_load16(ip + DRB_IPV4_LENGTH);
		*protocol = ip[DRB_IPV4_PROTOCOL];
		if (ip[0] >> 4 != 4 || header < DRB_IPV4_HEADER ||
		    (drb_load16(ip + DRB_IPV4_FRAGMENT) & (DRB_IPV4_MORE | DRB_IPV4_OFFSET)))
			return false;
		t->pseudo = (uint32_t)drb_checksum_sum(ip + DRB_IPV4_SRC, 8);
	} else {
		header = DRB_IPV6_HEADER;
		said = header + drb_load16(ip + DRB_IPV6_PAYLOAD);
		*protocol = ip[DRB_IPV6_NEXT];
		if (ip[0] >> 4 != 6)
			return false;
		t->pseudo = (uint32_t)drb_checksum_sum(ip + DRB_IPV6_SRC, 32);
	}
	t->pseudo += *protocol;
	t->transport = t->ip + header;
	return said == left && header < left;
}

// True if an IP packet of this protocol may be a tunnel. *least: the fewest bytes of the tunnel's
// header between the two IP headers.
static bool is_tunnel(const struct drb_gso *t, const uint8_t *frame, uint8_t protocol,
		      uint32_t *least)
{
	*least = protocol == DRB_PROTOCOL_UDP ? DRB_UDP_HEADER : protocol == IN_GRE ? 4 : 0;
	if (t->length - t->transport < *least)
		return false;
	return protocol == DRB_PROTOCOL_UDP || protocol == IN_IPV4 || protocol == IN_IPV6 ||
	       (protocol == IN_GRE && !(frame[t->transport] & GRE_NOT_REPEATED));
}

// Reads the IP header of the packet in a tunnel. The header ends at `start`, where the unfinished
// checksum starts. The headers before the inner IP header, except the outer IP and UDP headers,
// have no length field and are repeated unchanged.
static bool read_inner(struct drb_gso *t, const uint8_t *frame, uint32_t start, uint8_t *protocol)
{
	uint32_t least;

	if (start > DRB_UNFINISHED_START_MAX || start >= t->length || (start - t->transport) % 2 ||
	    !is_tunnel(t, frame, *protocol, &least))
		return false;
	t->outer.ip = t->ip;
	t->outer.end = t->transport;
	t->outer.pseudo = t->pseudo;
	t->outer.ipv4 = t->ipv4;
	t->outer.udp = *protocol == DRB_PROTOCOL_UDP;
	for (uint32_t header = DRB_IPV4_HEADER; header <= DRB_IPV6_HEADER;
	     header += DRB_IPV6_HEADER - DRB_IPV4_HEADER) {
		if (start < t->outer.end + least + header)
			return false;
		t->ip = start - header;
		t->ipv4 = header == DRB_IPV4_HEADER;
		if (read_ip(t, frame, protocol) && t->transport == start)
			return true;
	}
	return false;
}

static bool read_transport(struct drb_gso *t, const uint8_t *frame, uint8_t protocol)
{
	uint32_t left = t->length - t->transport, header = DRB_UDP_HEADER;

	t->tcp = protocol == DRB_PROTOCOL_TCP;
	if (t->tcp) {
		if (left < DRB_TCP_HEADER)
			return false;
		header = (frame[t->transport + TCP_DATA_OFFSET] >> 4) * 4u;
		if (header < DRB_TCP_HEADER)
			return false;
	} else if (protocol != DRB_PROTOCOL_UDP) {
		return false;
	}
	t->headers = t->transport + header;
	return t->headers < t->length;
}

static bool is_of_kind(const struct drb_gso *t, uint8_t kind)
{
	switch (kind & ~VIRTIO_NET_HDR_GSO_ECN) {
	case VIRTIO_NET_HDR_GSO_TCPV4:
		return t->tcp && t->ipv4;
	case VIRTIO_NET_HDR_GSO_TCPV6:
		return t->tcp && !t->ipv4;
	case VIRTIO_NET_HDR_GSO_UDP_L4:
		return !t->tcp;
	default:
		return false; // UDP in fragments, and unknown kinds
	}
}

bool drb_gso_read(struct drb_gso *t, const struct virtio_net_hdr *cut, const uint8_t *frame,
		  uint32_t length)
{
	uint8_t protocol;

	*t = (struct drb_gso){.length = length, .size = cut->gso_size};
	if (length > DRB_GSO_MAX || t->size == 0 || !read_ethernet(t, frame) ||
	    !read_ip(t, frame, &protocol))
		return false;
	if ((cut->flags & VIRTIO_NET_HDR_F_NEEDS_CSUM) && cut->csum_start > t->transport &&
	    !read_inner(t, frame, cut->csum_start, &protocol))
		return false;
	return read_transport(t, frame, protocol) && is_of_kind(t, cut->gso_type);
}

static void write_ip(bool ipv4, uint32_t n, uint32_t length, uint32_t header, uint8_t *ip)
{
	if (!ipv4) {
		drb_store16(ip + DRB_IPV6_PAYLOAD, (uint16_t)(length - DRB_IPV6_HEADER));
		return;
	}
	drb_store16(ip + DRB_IPV4_LENGTH, (uint16_t)length);
	drb_store16(ip + IPV4_ID, (uint16_t)(drb_load16(ip + IPV4_ID) + n));
	drb_store16(ip + DRB_IPV4_CHECKSUM, 0);
	drb_store16(ip + DRB_IPV4_CHECKSUM, drb_checksum(ip, header));
}

// Writes the outer headers of segment n, a packet of `length` bytes whose inner headers are
// written. The outer checksum does not depend on the payload: with a finished inner checksum, the
// inner bytes always sum up to the complement of their pseudo-header's sum.
static void write_outer(const struct drb_gso *t, uint32_t n, uint32_t length, uint16_t inner,
			uint8_t *to)
{
	uint8_t *udp = to + t->outer.end;
	const uint32_t left = length - t->outer.end;

	write_ip(t->outer.ipv4, n, length - t->outer.ip, t->outer.end - t->outer.ip,
		 to + t->outer.ip);
	if (!t->outer.udp)
		return;
	drb_store16(udp + DRB_UDP_LENGTH, (uint16_t)left);
	if (drb_load16(udp + DRB_UDP_CHECKSUM) == 0) // no checksum
		return;
	drb_store16(udp + DRB_UDP_CHECKSUM, 0);
	uint64_t sum = (uint64_t)t->outer.pseudo + left + (uint16_t)~inner +
		       drb_checksum_sum(udp, t->transport - t->outer.end);
	const uint16_t folded = drb_checksum_fold(sum);
	drb_store16(udp + DRB_UDP_CHECKSUM, folded == 0xffff ? folded : (uint16_t)~folded);
}

void drb_gso_write_headers(const struct drb_gso *t, const uint8_t *frame, uint32_t n, uint8_t *to)
{
	const uint32_t length = t->headers + drb_gso_payload(t, n) - t->transport;
	const uint16_t pseudo = drb_checksum_fold(t->pseudo + length);
	uint8_t *transport = to + t->transport;

	memcpy(to, frame, t->headers);
	write_ip(t->ipv4, n, length + t->transport - t->ip, t->transport - t->ip, to + t->ip);
	if (t->outer.ip > 0)
		write_outer(t, n, length + t->transport, pseudo, to);
	if (!t->tcp) {
		drb_store16(transport + DRB_UDP_LENGTH, (uint16_t)length);
		drb_store16(transport + DRB_UDP_CHECKSUM, pseudo);
		return;
	}
	drb_store32(transport + TCP_SEQUENCE, drb_load32(transport + TCP_SEQUENCE) + n * t->size);
	drb_store16(transport + DRB_TCP_CHECKSUM, pseudo);
	if (n > 0)
		transport[DRB_TCP_FLAGS] &= (uint8_t)~TCP_FIRST;
	if ((n + 1) * t->size < t->length - t->headers)
		transport[DRB_TCP_FLAGS] &= (uint8_t)~TCP_LAST;
}
