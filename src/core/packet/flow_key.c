// SPDX-License-Identifier: BSD-3-Clause
#include "core/packet/flow_key.h"

#include <string.h>

enum {
	ETHER_HEADER = 14,
	ETHERTYPE_IPV4 = 0x0800,
	ETHERTYPE_IPV6 = 0x86dd,
	ETHERTYPE_VLAN = 0x8100,
	ETHERTYPE_QINQ = 0x88a8,
	IPV6_HEADER = 40,
	TCP_FLAGS = 13, // where they stand in the header
};

static uint16_t read16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

const bool drb_flow_has_ports[256] = {
	[DRB_PROTOCOL_TCP] = true,
	[DRB_PROTOCOL_UDP] = true,
	[33] = true,
	[132] = true,
	[136] = true,
};

// Ports, and the flags if this is TCP.
static void read_ports(const uint8_t *p, uint32_t left, struct drb_flow_key *key, uint8_t *flags)
{
	if (!drb_flow_has_ports[key->protocol] || left < 4)
		return;
	memcpy(&key->src_port, p, 2);
	memcpy(&key->dst_port, p + 2, 2);
	if (key->protocol == DRB_PROTOCOL_TCP && left > TCP_FLAGS)
		*flags = p[TCP_FLAGS];
}

static bool read_ipv4(const uint8_t *p, uint32_t left, struct drb_flow_key *key, uint8_t *flags)
{
	uint32_t header;

	if (left < 20 || p[0] >> 4 != 4)
		return false;
	header = (p[0] & 15u) * 4;
	memcpy(key->src, p + 12, 4);
	memcpy(key->dst, p + 16, 4);
	key->protocol = p[9];
	if (header >= 20 && header <= left && (read16(p + 6) & 0x3fff) == 0)
		read_ports(p + header, left - header, key, flags);
	return true;
}

static bool read_ipv6(const uint8_t *p, uint32_t left, struct drb_flow_key *key, uint8_t *flags)
{
	if (left < IPV6_HEADER || p[0] >> 4 != 6)
		return false;
	memcpy(key->src, p + 8, 16);
	memcpy(key->dst, p + 24, 16);
	key->protocol = p[6];
	p += IPV6_HEADER;
	left -= IPV6_HEADER;
	// Hop-by-hop, routing and destination options stand before the ports; a fragment header
	// (44) ends the search, which leaves the flow without ports.
	for (int i = 0; i < 4 && (key->protocol == 0 || key->protocol == 43 || key->protocol == 60);
	     i++) {
		uint32_t header = left >= 8 ? (p[1] + 1u) * 8 : 0;
		if (header == 0 || header > left)
			return true;
		key->protocol = p[0];
		p += header;
		left -= header;
	}
	read_ports(p, left, key, flags);
	return true;
}

uint8_t drb_flow_key_of(const uint8_t *frame, uint32_t len, struct drb_flow_key *key)
{
	uint8_t flags = 0;
	uint32_t at = ETHER_HEADER;
	uint16_t type = read16(frame + 12);

	memset(key, 0, sizeof(*key));
	while ((type == ETHERTYPE_VLAN || type == ETHERTYPE_QINQ) && len >= at + 4) {
		type = read16(frame + at + 2);
		at += 4;
	}
	key->ethertype = (uint16_t)(type >> 8 | type << 8);
	if (type == ETHERTYPE_IPV4 && read_ipv4(frame + at, len - at, key, &flags))
		return flags;
	if (type == ETHERTYPE_IPV6 && read_ipv6(frame + at, len - at, key, &flags))
		return flags;
	// The second octets may carry marks of the fabric, which are none of the flow's.
	key->dst[0] = frame[0];
	memcpy(key->dst + 2, frame + 2, 4);
	key->src[0] = frame[6];
	memcpy(key->src + 2, frame + 8, 4);
	return 0;
}

uint64_t drb_flow_hash_of_any(const uint8_t *frame, uint32_t len, uint8_t *flags)
{
	struct drb_flow_key key;

	*flags = drb_flow_key_of(frame, len, &key);
	return drb_flow_hash(&key);
}
