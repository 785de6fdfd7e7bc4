// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/unfinished.h"

#include <rte_hash_crc.h>
#include <rte_ip.h>

#include "core/packet/bytes.h"
#include "core/packet/wire.h"

// Destination ports of tunnels in UDP. Linux has another default for VXLAN than the standard.
enum { VXLAN_PORT = 4789, VXLAN_PORT_OF_LINUX = 8472, GENEVE_PORT = 6081 };
enum { VXLAN_HEADER = 8, GENEVE_OPTIONS = 0x3f };
// IP protocols of tunnels.
enum { IN_IPV4 = 4, IN_IPV6 = 41 };

bool drb_finish_checksum(uint8_t *frame, uint32_t length, uint32_t start, uint32_t field)
{
	if (start + field + (field == DRB_SCTP_CHECKSUM ? 4 : 2) > length)
		return false;
	if (field == DRB_SCTP_CHECKSUM) {
		uint32_t crc = ~rte_hash_crc(frame + start, length - start, UINT32_MAX);
		memcpy(frame + start + field, &crc, sizeof(crc));
		return true;
	}
	uint16_t sum = (uint16_t)~rte_raw_cksum(frame + start, length - start);
	// In UDP, 0 means that there is no checksum. In one's complement, 0xffff has the same
	// value.
	if (sum == 0 && field == DRB_UDP_CHECKSUM)
		sum = 0xffff;
	memcpy(frame + start + field, &sum, sizeof(sum));
	return true;
}

// Returns the bytes up to the end of the frame's IP header, if the switch inspects nothing behind
// it. Otherwise returns the length of the frame.
static uint32_t end_of_headers(const uint8_t *frame, uint32_t length)
{
	uint32_t at = DRB_ETHER_HEADER;
	uint16_t type = drb_load16(frame + DRB_ETHER_TYPE);

	for (; (type == DRB_ETHERTYPE_VLAN || type == DRB_ETHERTYPE_QINQ) &&
	       at + DRB_VLAN_TAG <= length;
	     at += DRB_VLAN_TAG)
		type = drb_load16(frame + at + 2);
	if (type == DRB_ETHERTYPE_IPV4 && at < length && frame[at] >= DRB_IPV4_PLAIN)
		return at + (frame[at] & 0xfu) * 4;
	// The switch also inspects neighbour discovery and extension headers.
	if (type == DRB_ETHERTYPE_IPV6 && at + DRB_IPV6_HEADER <= length &&
	    (frame[at + DRB_IPV6_NEXT] == DRB_PROTOCOL_TCP ||
	     frame[at + DRB_IPV6_NEXT] == DRB_PROTOCOL_UDP))
		return at + DRB_IPV6_HEADER;
	return length;
}

bool drb_may_stay_unfinished(const uint8_t *frame, uint32_t length, uint32_t start, uint32_t field)
{
	return length >= DRB_ETHER_HEADER && drb_fits_mark(start, field, length) &&
	       start >= end_of_headers(frame, length);
}

// An IP packet within a frame.
struct packet {
	uint32_t at, transport; // bytes before its IP header, and up to its end
	uint16_t type;          // EtherType
	uint8_t protocol;
	uint16_t pseudo; // sum of the pseudo-header, in network byte order
};

// False if it is no IP packet, has options, or is a fragment. The payload of a fragment is not all
// that a checksum covers.
static bool read_packet(const uint8_t *frame, uint32_t length, struct packet *p)
{
	const uint8_t *ip = frame + p->at;

	if (p->type == DRB_ETHERTYPE_IPV4 && length >= p->at + DRB_IPV4_HEADER &&
	    ip[0] == DRB_IPV4_PLAIN &&
	    !(drb_load16(ip + DRB_IPV4_FRAGMENT) & (DRB_IPV4_MORE | DRB_IPV4_OFFSET))) {
		p->transport = p->at + DRB_IPV4_HEADER;
		p->protocol = ip[DRB_IPV4_PROTOCOL];
		p->pseudo = rte_ipv4_phdr_cksum((const struct rte_ipv4_hdr *)ip, 0);
	} else if (p->type == DRB_ETHERTYPE_IPV6 && length >= p->at + DRB_IPV6_HEADER) {
		p->transport = p->at + DRB_IPV6_HEADER;
		p->protocol = ip[DRB_IPV6_NEXT];
		p->pseudo = rte_ipv6_phdr_cksum((const struct rte_ipv6_hdr *)ip, 0);
	} else {
		return false;
	}
	return length >= p->transport + DRB_UDP_HEADER;
}

// Returns the bytes of the header of a tunnel in UDP, by its destination port. 0: it is no tunnel.
static uint32_t shim_of(const uint8_t *udp)
{
	switch (drb_load16(udp + DRB_UDP_DST_PORT)) {
	case VXLAN_PORT:
	case VXLAN_PORT_OF_LINUX:
		return VXLAN_HEADER;
	case GENEVE_PORT:
		return VXLAN_HEADER + (udp[DRB_UDP_HEADER] & GENEVE_OPTIONS) * 4u;
	default:
		return 0;
	}
}

// Replaces *p by the packet that it carries through a tunnel. False: it carries none.
static bool enter_tunnel(const uint8_t *frame, uint32_t length, struct packet *p)
{
	if (p->protocol == IN_IPV4 || p->protocol == IN_IPV6) {
		p->type = p->protocol == IN_IPV4 ? DRB_ETHERTYPE_IPV4 : DRB_ETHERTYPE_IPV6;
		p->at = p->transport;
		return true;
	}
	if (p->protocol != DRB_PROTOCOL_UDP || length < p->transport + DRB_UDP_HEADER + 1)
		return false;
	uint32_t shim = shim_of(frame + p->transport);
	p->at = p->transport + DRB_UDP_HEADER + shim + DRB_ETHER_HEADER;
	if (shim == 0 || length < p->at)
		return false;
	p->type = drb_load16(frame + p->at - 2);
	return true;
}

void drb_find_unfinished(struct rte_mbuf *m)
{
	const uint8_t *frame = rte_pktmbuf_mtod(m, const uint8_t *);
	const uint32_t length = m->data_len;
	struct packet p = {.at = DRB_ETHER_HEADER};

	if (length < DRB_ETHER_HEADER + DRB_IPV4_HEADER + DRB_UDP_HEADER)
		return;
	p.type = drb_load16(frame + DRB_ETHER_TYPE);
	for (int depth = 0; depth < 2 && read_packet(frame, length, &p); depth++) {
		const bool tcp = p.protocol == DRB_PROTOCOL_TCP;
		const uint32_t field = tcp ? DRB_TCP_CHECKSUM : DRB_UDP_CHECKSUM;
		if ((tcp || p.protocol == DRB_PROTOCOL_UDP) && p.transport + field + 2 <= length &&
		    memcmp(frame + p.transport + field, &p.pseudo, 2) == 0) {
			drb_mark_unfinished(m, p.transport, field);
			return;
		}
		if (!enter_tunnel(frame, length, &p))
			return;
	}
}

void drb_finish_checksums(struct rte_mbuf **packets, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct rte_mbuf *m = packets[i];
		if (likely(!drb_is_unfinished(m)))
			continue;
		drb_finish_checksum(rte_pktmbuf_mtod(m, uint8_t *), m->data_len, m->l3_len,
				    m->l4_len);
		m->ol_flags &= ~RTE_MBUF_F_RX_L4_CKSUM_MASK;
	}
}
