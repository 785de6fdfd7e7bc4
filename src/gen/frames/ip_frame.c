// SPDX-License-Identifier: BSD-3-Clause
#include "gen/frames/ip_frame.h"

#include <errno.h>
#include <string.h>

#include "core/packet/bytes.h"
#include "core/packet/checksum.h"
#include "core/packet/wire.h"

#define TAGS_MAX 2
#define EXTENSIONS_MAX 8

// The offset, within the transport header, of the checksum that covers the IP addresses; 0: none.
static uint32_t checksum_at(uint8_t protocol)
{
	switch (protocol) {
	case DRB_PROTOCOL_TCP:
		return DRB_TCP_CHECKSUM;
	case DRB_PROTOCOL_UDP:
	case DRB_PROTOCOL_UDP_LITE:
	case DRB_PROTOCOL_DCCP:
		return DRB_UDP_CHECKSUM;
	case DRB_PROTOCOL_ICMPV6:
		return DRB_ICMPV6_CHECKSUM;
	default:
		return 0;
	}
}

// Notes a transport header at `at`, and its checksum if that was captured and covers the addresses.
static void note_transport(struct ipframe *f, uint8_t protocol, uint32_t at, uint32_t captured,
			   bool covers)
{
	uint32_t offset = checksum_at(protocol);

	f->transport = at;
	f->protocol = protocol;
	if (covers && offset && at + offset + 2 <= captured) {
		f->checksum = at + offset;
		f->udp = protocol == DRB_PROTOCOL_UDP;
	}
}

static int parse_ipv4(const uint8_t *frame, uint32_t captured, struct ipframe *f)
{
	const uint8_t *ip = frame + f->ip;

	if (captured - f->ip < DRB_IPV4_HEADER)
		return -EBADMSG;
	uint32_t header = (ip[0] & 0x0fU) * 4;
	if (ip[0] >> 4 != 4 || header < DRB_IPV4_HEADER || captured - f->ip < header)
		return -EBADMSG;
	f->src.size = f->dst.size = 4;
	memcpy(f->src.bytes, ip + DRB_IPV4_SRC, 4);
	memcpy(f->dst.bytes, ip + DRB_IPV4_DST, 4);
	// Later fragments have no transport header. The checksum in the first fragment covers all
	// fragments.
	if ((drb_load16(ip + DRB_IPV4_FRAGMENT) & DRB_IPV4_OFFSET) == 0)
		note_transport(f, ip[DRB_IPV4_PROTOCOL], f->ip + header, captured, true);
	return 0;
}

// Follows extension headers from `at` to the transport header.
static void find_ipv6_transport(const uint8_t *frame, uint32_t captured, uint8_t next, uint32_t at,
				struct ipframe *f)
{
	bool covers = true;

	for (int i = 0; i < EXTENSIONS_MAX; i++) {
		uint32_t size;
		if (next != DRB_PROTOCOL_HOP_BY_HOP && next != DRB_PROTOCOL_ROUTING &&
		    next != DRB_PROTOCOL_FRAGMENT && next != DRB_PROTOCOL_AUTHENTICATION &&
		    next != DRB_PROTOCOL_OPTIONS) {
			note_transport(f, next, at, captured, covers);
			return;
		}
		if (captured - at < 8)
			return;
		const uint8_t *ext = frame + at;
		if (next == DRB_PROTOCOL_FRAGMENT && drb_load16(ext + 2) >> 3 != 0)
			return;
		// While segments are left, the checksum covers the last address of the route
		// instead of the destination in the header.
		covers &= next != DRB_PROTOCOL_ROUTING || ext[3] == 0;
		size = next == DRB_PROTOCOL_FRAGMENT         ? 8
		       : next == DRB_PROTOCOL_AUTHENTICATION ? (ext[1] + 2U) * 4
							     : (ext[1] + 1U) * 8;
		if (captured - at < size)
			return;
		next = ext[0];
		at += size;
	}
}

static int parse_ipv6(const uint8_t *frame, uint32_t captured, struct ipframe *f)
{
	const uint8_t *ip = frame + f->ip;

	if (captured - f->ip < DRB_IPV6_HEADER || ip[0] >> 4 != 6)
		return -EBADMSG;
	f->src.size = f->dst.size = 16;
	memcpy(f->src.bytes, ip + DRB_IPV6_SRC, 16);
	memcpy(f->dst.bytes, ip + DRB_IPV6_DST, 16);
	find_ipv6_transport(frame, captured, ip[DRB_IPV6_NEXT], f->ip + DRB_IPV6_HEADER, f);
	return 0;
}

int ipframe_parse(const uint8_t *frame, uint32_t captured, struct ipframe *f)
{
	uint32_t at = DRB_ETHER_TYPE;

	*f = (struct ipframe){0};
	for (int tags = 0;; tags++) {
		if (captured < at + 2)
			return -EBADMSG;
		uint16_t type = drb_load16(frame + at);
		f->ip = at + 2;
		if (type == DRB_ETHERTYPE_IPV4)
			return parse_ipv4(frame, captured, f);
		if (type == DRB_ETHERTYPE_IPV6)
			return parse_ipv6(frame, captured, f);
		if (tags == TAGS_MAX || (type != DRB_ETHERTYPE_VLAN && type != DRB_ETHERTYPE_QINQ &&
					 type != DRB_ETHERTYPE_QINQ_OLD))
			return -ENOMSG;
		f->tagged = true;
		at += DRB_VLAN_TAG;
	}
}

// Replaces `size` bytes that the transport checksum covers.
static void replace(uint8_t *frame, const struct ipframe *f, uint8_t *at, const uint8_t *by,
		    uint32_t size)
{
	if (f->checksum) {
		uint16_t old = drb_load16(frame + f->checksum);
		uint16_t sum = drb_checksum_update(old, at, by, size);
		// UDP: 0 means no checksum and stays 0; a sum of 0 is written as all ones.
		if (f->udp)
			sum = old == 0 ? 0 : sum == 0 ? 0xffff : sum;
		drb_store16(frame + f->checksum, sum);
	}
	memcpy(at, by, size);
}

static void readdress_ipv4(uint8_t *frame, const struct ipframe *f, uint32_t src, uint32_t dst)
{
	uint8_t *old = frame + f->ip + DRB_IPV4_SRC;
	uint8_t addresses[8];

	drb_store32(addresses, src);
	drb_store32(addresses + 4, dst);
	uint8_t *check = frame + f->ip + DRB_IPV4_CHECKSUM;
	drb_store16(check, drb_checksum_update(drb_load16(check), old, addresses, 8));
	replace(frame, f, old, addresses, sizeof(addresses));
}

void ipframe_readdress(uint8_t *frame, const struct ipframe *f, const struct drb_addr_plan *plan,
		       uint32_t src, uint32_t dst)
{
	drb_addr_mac(plan, dst, frame + DRB_ETHER_DST);
	drb_addr_mac(plan, src, frame + DRB_ETHER_SRC);
	if (f->src.size == 4) {
		readdress_ipv4(frame, f, drb_addr_ipv4(plan, src), drb_addr_ipv4(plan, dst));
		return;
	}
	uint8_t addresses[32];
	drb_addr_ipv6(plan, src, addresses);
	drb_addr_ipv6(plan, dst, addresses + 16);
	replace(frame, f, frame + f->ip + DRB_IPV6_SRC, addresses, sizeof(addresses));
}
