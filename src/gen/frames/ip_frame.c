// SPDX-License-Identifier: BSD-3-Clause
#include "gen/frames/ip_frame.h"

#include <errno.h>
#include <string.h>

#include "gen/frames/checksum.h"

enum { ETHERTYPE_IPV4 = 0x0800, ETHERTYPE_IPV6 = 0x86dd };
enum { ETHERTYPE_VLAN = 0x8100, ETHERTYPE_QINQ = 0x88a8, ETHERTYPE_QINQ_OLD = 0x9100 };
enum { PROTO_TCP = 6, PROTO_UDP = 17, PROTO_DCCP = 33, PROTO_ICMPV6 = 58, PROTO_UDPLITE = 136 };
enum { EXT_HOPBYHOP = 0, EXT_ROUTING = 43, EXT_FRAGMENT = 44, EXT_AH = 51, EXT_OPTIONS = 60 };
#define TAGS_MAX 2
#define EXTENSIONS_MAX 8

// Offset within the transport header of the checksum that covers the IP addresses; 0: there is
// none.
static uint32_t checksum_at(uint8_t protocol)
{
	switch (protocol) {
	case PROTO_TCP:
		return 16;
	case PROTO_UDP:
	case PROTO_UDPLITE:
	case PROTO_DCCP:
		return 6;
	case PROTO_ICMPV6:
		return 2;
	default:
		return 0;
	}
}

// Notes the checksum of a transport header at `at`, if it was captured.
static void note_checksum(struct ipframe *f, uint8_t protocol, uint32_t at, uint32_t captured)
{
	uint32_t offset = checksum_at(protocol);

	if (offset && at + offset + 2 <= captured) {
		f->checksum = at + offset;
		f->udp = protocol == PROTO_UDP;
	}
}

static int parse_ipv4(const uint8_t *frame, uint32_t captured, struct ipframe *f)
{
	const uint8_t *ip = frame + f->ip;

	if (captured - f->ip < 20)
		return -EBADMSG;
	uint32_t header = (ip[0] & 0x0fU) * 4;
	if (ip[0] >> 4 != 4 || header < 20 || captured - f->ip < header)
		return -EBADMSG;
	f->src.size = f->dst.size = 4;
	memcpy(f->src.bytes, ip + 12, 4);
	memcpy(f->dst.bytes, ip + 16, 4);
	// Later fragments hold no transport header; the one in the first covers them all.
	if ((load16(ip + 6) & 0x1fff) == 0)
		note_checksum(f, ip[9], f->ip + header, captured);
	return 0;
}

// Walks extension headers from `at` to the transport header.
static void find_ipv6_transport(const uint8_t *frame, uint32_t captured, uint8_t next, uint32_t at,
				struct ipframe *f)
{
	for (int i = 0; i < EXTENSIONS_MAX; i++) {
		uint32_t size;
		if (next != EXT_HOPBYHOP && next != EXT_ROUTING && next != EXT_FRAGMENT &&
		    next != EXT_AH && next != EXT_OPTIONS) {
			note_checksum(f, next, at, captured);
			return;
		}
		if (captured - at < 8)
			return;
		const uint8_t *ext = frame + at;
		if (next == EXT_FRAGMENT && load16(ext + 2) >> 3 != 0)
			return;
		// With segments left the checksum covers the last address of the route instead of
		// the one in the header.
		if (next == EXT_ROUTING && ext[3] != 0)
			return;
		size = next == EXT_FRAGMENT ? 8
		       : next == EXT_AH     ? (ext[1] + 2U) * 4
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

	if (captured - f->ip < 40 || ip[0] >> 4 != 6)
		return -EBADMSG;
	f->src.size = f->dst.size = 16;
	memcpy(f->src.bytes, ip + 8, 16);
	memcpy(f->dst.bytes, ip + 24, 16);
	find_ipv6_transport(frame, captured, ip[6], f->ip + 40, f);
	return 0;
}

int ipframe_parse(const uint8_t *frame, uint32_t captured, struct ipframe *f)
{
	uint32_t at = 12;

	*f = (struct ipframe){0};
	for (int tags = 0;; tags++) {
		if (captured < at + 2)
			return -EBADMSG;
		uint16_t type = load16(frame + at);
		f->ip = at + 2;
		if (type == ETHERTYPE_IPV4)
			return parse_ipv4(frame, captured, f);
		if (type == ETHERTYPE_IPV6)
			return parse_ipv6(frame, captured, f);
		if (tags == TAGS_MAX || (type != ETHERTYPE_VLAN && type != ETHERTYPE_QINQ &&
					 type != ETHERTYPE_QINQ_OLD))
			return -ENOMSG;
		f->tagged = true;
		at += 4;
	}
}

// Replaces `size` bytes that the transport checksum covers.
static void replace(uint8_t *frame, const struct ipframe *f, uint8_t *at, const uint8_t *by,
		    uint32_t size)
{
	if (f->checksum) {
		uint16_t old = load16(frame + f->checksum);
		uint16_t sum = checksum_update(old, at, by, size);
		// UDP: 0 is "none" and stays so; a sum of 0 is written as all ones.
		if (f->udp)
			sum = old == 0 ? 0 : sum == 0 ? 0xffff : sum;
		store16(frame + f->checksum, sum);
	}
	memcpy(at, by, size);
}

static void readdress_ipv4(uint8_t *frame, const struct ipframe *f, uint32_t src, uint32_t dst)
{
	uint8_t *old = frame + f->ip + 12;
	uint8_t addresses[8];

	store32(addresses, src);
	store32(addresses + 4, dst);
	store16(frame + f->ip + 10, checksum_update(load16(frame + f->ip + 10), old, addresses, 8));
	replace(frame, f, old, addresses, sizeof(addresses));
}

void ipframe_readdress(uint8_t *frame, const struct ipframe *f, const struct drb_addr_plan *plan,
		       uint32_t src, uint32_t dst)
{
	drb_addr_mac(plan, dst, frame);
	drb_addr_mac(plan, src, frame + 6);
	if (f->src.size == 4) {
		readdress_ipv4(frame, f, drb_addr_ipv4(plan, src), drb_addr_ipv4(plan, dst));
		return;
	}
	uint8_t addresses[32];
	drb_addr_ipv6(plan, src, addresses);
	drb_addr_ipv6(plan, dst, addresses + 16);
	replace(frame, f, frame + f->ip + 8, addresses, sizeof(addresses));
}
