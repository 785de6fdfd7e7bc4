// SPDX-License-Identifier: BSD-3-Clause
#include "core/fabric/source_rule.h"

#include "core/packet/bytes.h"

// Most VLAN tags, extension headers and options that are read. A frame with more of them is
// malformed here; no host needs as many.
#define TAGS_MAX 2
#define HEADERS_MAX 8
#define OPTIONS_MAX 16

static const uint8_t unspecified[16];

struct drb_source_rule drb_source_rule_of(const struct drb_addr_plan *plan, uint32_t host, bool ip)
{
	struct drb_source_rule r = {
		.active = true,
		.ip = ip,
		.ipv4 = htobe32(drb_addr_ipv4(plan, host)),
		.ipv4_mask = ip ? UINT32_MAX : 0,
		.link_local = {0xfe, 0x80, [11] = 0xff, [12] = 0xfe},
	};

	drb_addr_mac(plan, host, r.mac);
	drb_addr_ipv6(plan, host, r.ipv6);
	memcpy(r.link_local + 8, r.mac, 3);
	memcpy(r.link_local + 13, r.mac + 3, 3);
	r.link_local[8] ^= 2;
	return r;
}

static enum drb_source check_arp(const struct drb_source_rule *r, const uint8_t *arp, uint32_t left)
{
	static const uint8_t lengths[] = {6, 4}, nobody[4];
	const uint8_t *ip = arp + DRB_ARP_SENDER_IP;

	if (left < DRB_ARP_LENGTH || memcmp(arp + DRB_ARP_LENGTHS, lengths, 2) != 0)
		return DRB_SOURCE_BAD;
	if (memcmp(arp + DRB_ARP_SENDER_MAC, r->mac, 6) != 0)
		return DRB_SOURCE_NEIGHBOUR;
	// A sender of 0.0.0.0 asks whether an address is free (RFC 5227). Receivers learn nothing
	// from it.
	if (memcmp(ip, &r->ipv4, 4) != 0 && memcmp(ip, nobody, 4) != 0)
		return DRB_SOURCE_NEIGHBOUR;
	return DRB_SOURCE_OK;
}

static bool is_own(const struct drb_source_rule *r, const uint8_t *address)
{
	return memcmp(address, r->ipv6, 16) == 0 || memcmp(address, r->link_local, 16) == 0;
}

// The link-layer addresses among the message's options must be the host's own.
static enum drb_source check_options(const struct drb_source_rule *r, const uint8_t *p,
				     uint32_t left)
{
	for (int i = 0; left > 0; i++) {
		uint32_t length = left >= 8 ? p[1] * 8u : 0;
		if (length == 0 || length > left || i == OPTIONS_MAX)
			return DRB_SOURCE_BAD;
		if ((p[0] == DRB_ND_OPTION_SOURCE || p[0] == DRB_ND_OPTION_TARGET) &&
		    memcmp(p + 2, r->mac, 6) != 0)
			return DRB_SOURCE_NEIGHBOUR;
		p += length;
		left -= length;
	}
	return DRB_SOURCE_OK;
}

// Checks the neighbour discovery message (RFC 4861) at p, in an IPv6 packet from this source.
static enum drb_source check_nd(const struct drb_source_rule *r, const uint8_t *source,
				const uint8_t *p, uint32_t left)
{
	// Only routers send these, and hosts are no routers.
	if (p[0] == DRB_ICMPV6_ROUTER_ADVERTISEMENT || p[0] == DRB_ICMPV6_REDIRECT)
		return DRB_SOURCE_NEIGHBOUR;
	uint32_t length = p[0] == DRB_ICMPV6_ROUTER_SOLICITATION ? DRB_ND_RS_LENGTH : DRB_ND_LENGTH;
	if (left < length)
		return DRB_SOURCE_BAD;
	// A message from :: asks whether an address is free. Receivers learn nothing from it.
	bool asks = p[0] != DRB_ICMPV6_ADVERTISEMENT && memcmp(source, unspecified, 16) == 0;
	if (!asks && !is_own(r, source))
		return DRB_SOURCE_NEIGHBOUR;
	if (p[0] == DRB_ICMPV6_ADVERTISEMENT && !is_own(r, p + DRB_ND_TARGET))
		return DRB_SOURCE_NEIGHBOUR;
	return check_options(r, p + length, left - length);
}

static bool is_nd(uint8_t type)
{
	return type >= DRB_ICMPV6_ROUTER_SOLICITATION && type <= DRB_ICMPV6_REDIRECT;
}

// The payload of an IPv6 packet behind its extension headers.
struct upper {
	const uint8_t *at;
	uint32_t left;
	uint8_t protocol;
	bool fragment;
};

// Length of an extension header in bytes; 0: this protocol is not an extension header.
static uint32_t header_length(uint8_t protocol, const uint8_t *p)
{
	switch (protocol) {
	case DRB_PROTOCOL_HOP_BY_HOP:
	case DRB_PROTOCOL_ROUTING:
	case DRB_PROTOCOL_OPTIONS:
		return (p[1] + 1u) * 8;
	case DRB_PROTOCOL_FRAGMENT:
		return 8;
	case DRB_PROTOCOL_AUTHENTICATION:
		return (p[1] + 2u) * 4;
	default:
		return 0;
	}
}

static bool is_header(uint8_t protocol)
{
	static const uint8_t zero[2];

	return header_length(protocol, zero) > 0;
}

// Moves to the payload behind the extension headers; a later fragment has none. False if there are
// too many headers, or one is cut off.
static bool find_upper(struct upper *u)
{
	for (int i = 0; is_header(u->protocol); i++) {
		uint32_t length = u->left >= 8 ? header_length(u->protocol, u->at) : 0;
		if (length == 0 || length > u->left || i == HEADERS_MAX)
			return false;
		bool fragment = u->protocol == DRB_PROTOCOL_FRAGMENT;
		u->fragment |= fragment;
		if (fragment && (drb_load16(u->at + 2) & DRB_IPV6_OFFSET)) {
			u->protocol = DRB_PROTOCOL_NONE;
			return true;
		}
		u->protocol = u->at[0];
		u->at += length;
		u->left -= length;
	}
	return true;
}

static enum drb_source check_ipv6(const struct drb_source_rule *r, const uint8_t *ip, uint32_t left,
				  bool group)
{
	if (left < DRB_IPV6_HEADER || ip[0] >> 4 != 6 ||
	    drb_load16(ip + DRB_IPV6_PAYLOAD) > left - DRB_IPV6_HEADER)
		return DRB_SOURCE_BAD;
	const uint8_t *source = ip + DRB_IPV6_SRC;
	struct upper u = {.at = ip + DRB_IPV6_HEADER,
			  .left = drb_load16(ip + DRB_IPV6_PAYLOAD),
			  .protocol = ip[DRB_IPV6_NEXT]};
	if (!find_upper(&u) || (u.protocol == DRB_PROTOCOL_ICMPV6 && u.left == 0))
		return DRB_SOURCE_BAD;
	if (u.protocol == DRB_PROTOCOL_ICMPV6 && is_nd(u.at[0])) {
		// Neighbour discovery must not be fragmented (RFC 6980).
		return u.fragment ? DRB_SOURCE_NEIGHBOUR : check_nd(r, source, u.at, u.left);
	}
	return !r->ip || group || is_own(r, source) ? DRB_SOURCE_OK : DRB_SOURCE_IP;
}

enum drb_source drb_source_check(const struct drb_source_rule *r, const uint8_t *frame,
				 uint32_t len)
{
	// The switch answers or drops multicast frames itself, so they reach no host.
	const bool group = frame[DRB_ETHER_DST] & 1;
	uint32_t at = DRB_ETHER_HEADER;
	uint16_t type = drb_load16(frame + DRB_ETHER_TYPE);

	for (int i = 0; type == DRB_ETHERTYPE_VLAN || type == DRB_ETHERTYPE_QINQ; i++) {
		if (i == TAGS_MAX || len < at + DRB_VLAN_TAG)
			return DRB_SOURCE_BAD;
		type = drb_load16(frame + at + 2);
		at += DRB_VLAN_TAG;
	}
	switch (type) {
	case DRB_ETHERTYPE_ARP:
		return check_arp(r, frame + at, len - at);
	case DRB_ETHERTYPE_IPV6:
		return check_ipv6(r, frame + at, len - at, group);
	case DRB_ETHERTYPE_IPV4:
		if (!r->ip || group)
			return DRB_SOURCE_OK;
		if (len - at < DRB_IPV4_HEADER)
			return DRB_SOURCE_BAD;
		return memcmp(frame + at + DRB_IPV4_SRC, &r->ipv4, 4) == 0 ? DRB_SOURCE_OK
									   : DRB_SOURCE_IP;
	case DRB_ETHERTYPE_HELLO:
		return DRB_SOURCE_HELLO;
	default:
		return DRB_SOURCE_OK;
	}
}
