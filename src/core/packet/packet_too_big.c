// SPDX-License-Identifier: BSD-3-Clause
#include "core/packet/packet_too_big.h"

#include <stdbool.h>
#include <string.h>

#include "core/packet/bytes.h"
#include "core/packet/checksum.h"
#include "core/packet/wire.h"

#define IPV4_ANSWER_MAX 576 // bytes that every host accepts (RFC 1812, 4.3.2.3)
#define IPV6_ANSWER_MAX 1280
#define HOP_LIMIT 64

// The IP packet in the frame: its first len bytes, and the bytes of the Ethernet header with tags.
struct packet {
	const uint8_t *ip;
	uint32_t len, ethernet;
	uint16_t type;
};

static bool is_tag(uint16_t type)
{
	return type == DRB_ETHERTYPE_VLAN || type == DRB_ETHERTYPE_QINQ ||
	       type == DRB_ETHERTYPE_QINQ_OLD;
}

static bool find_packet(const uint8_t *frame, uint32_t len, struct packet *p)
{
	p->ethernet = DRB_ETHER_HEADER;
	for (int tags = 0; p->ethernet <= len; tags++) {
		p->type = drb_load16(frame + p->ethernet - 2);
		p->ip = frame + p->ethernet;
		p->len = len - p->ethernet;
		if (!is_tag(p->type))
			return true;
		if (tags == 2)
			return false;
		p->ethernet += DRB_VLAN_TAG;
	}
	return false;
}

// True for the address of one host: not of "this host", loopback, multicast or above.
static bool is_host_ipv4(const uint8_t *address)
{
	return address[0] != 0 && address[0] != 127 && address[0] < 224;
}

// Errors must not be answered (RFC 1122, 3.2.2).
static bool is_icmp_error(uint8_t type)
{
	return type == DRB_ICMP_UNREACHABLE || type == DRB_ICMP_QUENCH ||
	       type == DRB_ICMP_REDIRECT || type == DRB_ICMP_TIME_EXCEEDED ||
	       type == DRB_ICMP_PARAMETER;
}

static bool asks_ipv4(const struct packet *p)
{
	const uint8_t *ip = p->ip;

	if (p->len < DRB_IPV4_HEADER || ip[0] >> 4 != 4)
		return false;
	uint32_t header = (ip[0] & 15) * 4u, fragment = drb_load16(ip + DRB_IPV4_FRAGMENT);
	if (header < DRB_IPV4_HEADER || p->len < header + 8 || !(fragment & DRB_IPV4_DONT) ||
	    (fragment & DRB_IPV4_OFFSET) || !is_host_ipv4(ip + DRB_IPV4_SRC) ||
	    !is_host_ipv4(ip + DRB_IPV4_DST))
		return false;
	return ip[DRB_IPV4_PROTOCOL] != DRB_PROTOCOL_ICMP || !is_icmp_error(ip[header]);
}

static bool is_host_ipv6(const uint8_t *address)
{
	static const uint8_t none[16];

	return address[0] != 0xff && memcmp(address, none, sizeof(none)) != 0;
}

// Error messages of ICMPv6 have no extension headers, so a packet with them is no error message.
static bool asks_ipv6(const struct packet *p)
{
	const uint8_t *ip = p->ip;

	if (p->len < DRB_IPV6_HEADER + 8 || ip[0] >> 4 != 6 || !is_host_ipv6(ip + DRB_IPV6_SRC) ||
	    !is_host_ipv6(ip + DRB_IPV6_DST))
		return false;
	return ip[DRB_IPV6_NEXT] != DRB_PROTOCOL_ICMPV6 ||
	       ip[DRB_IPV6_HEADER] >= DRB_ICMPV6_INFORMATIONAL;
}

static void answer_ethernet(const struct packet *p, uint8_t *answer)
{
	const uint8_t *frame = p->ip - p->ethernet;

	memcpy(answer, frame, p->ethernet);
	memcpy(answer + DRB_ETHER_DST, frame + DRB_ETHER_SRC, 6);
	memcpy(answer + DRB_ETHER_SRC, frame + DRB_ETHER_DST, 6);
}

static uint32_t answer_ipv4(const struct packet *p, uint32_t mtu, uint8_t *answer)
{
	const uint32_t most = IPV4_ANSWER_MAX - DRB_IPV4_HEADER - DRB_ICMP_HEADER;
	const uint32_t quoted = p->len < most ? p->len : most;
	const uint32_t length = DRB_IPV4_HEADER + DRB_ICMP_HEADER + quoted;
	uint8_t *ip = answer + p->ethernet, *icmp = ip + DRB_IPV4_HEADER;

	memset(ip, 0, DRB_IPV4_HEADER + DRB_ICMP_HEADER);
	ip[0] = DRB_IPV4_PLAIN;
	drb_store16(ip + DRB_IPV4_LENGTH, (uint16_t)length);
	drb_store16(ip + DRB_IPV4_FRAGMENT, DRB_IPV4_DONT);
	ip[DRB_IPV4_TTL] = HOP_LIMIT;
	ip[DRB_IPV4_PROTOCOL] = DRB_PROTOCOL_ICMP;
	memcpy(ip + DRB_IPV4_SRC, p->ip + DRB_IPV4_DST, 4);
	memcpy(ip + DRB_IPV4_DST, p->ip + DRB_IPV4_SRC, 4);
	drb_store16(ip + DRB_IPV4_CHECKSUM, drb_checksum(ip, DRB_IPV4_HEADER));
	icmp[0] = DRB_ICMP_UNREACHABLE;
	icmp[DRB_ICMP_CODE] = DRB_ICMP_FRAGMENTATION_NEEDED;
	drb_store16(icmp + DRB_ICMP_MTU, (uint16_t)mtu);
	memcpy(icmp + DRB_ICMP_HEADER, p->ip, quoted);
	drb_store16(icmp + DRB_ICMP_CHECKSUM, drb_checksum(icmp, DRB_ICMP_HEADER + quoted));
	return p->ethernet + length;
}

static uint32_t answer_ipv6(const struct packet *p, uint32_t mtu, uint8_t *answer)
{
	const uint32_t most = IPV6_ANSWER_MAX - DRB_IPV6_HEADER - DRB_ICMP_HEADER;
	const uint32_t quoted = p->len < most ? p->len : most, length = DRB_ICMP_HEADER + quoted;
	uint8_t *ip = answer + p->ethernet, *icmp = ip + DRB_IPV6_HEADER;

	memset(ip, 0, DRB_IPV6_HEADER + DRB_ICMP_HEADER);
	ip[0] = 6 << 4;
	drb_store16(ip + DRB_IPV6_PAYLOAD, (uint16_t)length);
	ip[DRB_IPV6_NEXT] = DRB_PROTOCOL_ICMPV6;
	ip[DRB_IPV6_HOP_LIMIT] = HOP_LIMIT;
	memcpy(ip + DRB_IPV6_SRC, p->ip + DRB_IPV6_DST, 16);
	memcpy(ip + DRB_IPV6_DST, p->ip + DRB_IPV6_SRC, 16);
	icmp[0] = DRB_ICMPV6_TOO_BIG;
	drb_store32(icmp + DRB_ICMPV6_MTU, mtu);
	memcpy(icmp + DRB_ICMP_HEADER, p->ip, quoted);
	uint64_t sum = drb_checksum_sum(ip + DRB_IPV6_SRC, 32) + drb_checksum_sum(icmp, length) +
		       length + DRB_PROTOCOL_ICMPV6;
	drb_store16(icmp + DRB_ICMPV6_CHECKSUM, (uint16_t)~drb_checksum_fold(sum));
	return p->ethernet + DRB_IPV6_HEADER + length;
}

uint32_t drb_packet_too_big(const uint8_t *frame, uint32_t len, uint32_t mtu, uint8_t *answer)
{
	struct packet p;

	if (!find_packet(frame, len, &p) || ((frame[DRB_ETHER_DST] | frame[DRB_ETHER_SRC]) & 1))
		return 0;
	const bool ipv4 = p.type == DRB_ETHERTYPE_IPV4 && asks_ipv4(&p);
	const bool ipv6 = p.type == DRB_ETHERTYPE_IPV6 && asks_ipv6(&p);
	if (!ipv4 && !ipv6)
		return 0;
	answer_ethernet(&p, answer);
	return ipv4 ? answer_ipv4(&p, mtu, answer) : answer_ipv6(&p, mtu, answer);
}
