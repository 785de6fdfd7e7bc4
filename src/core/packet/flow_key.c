// SPDX-License-Identifier: BSD-3-Clause
#include "core/packet/flow_key.h"

#include <string.h>

#include "core/packet/bytes.h"

const bool drb_flow_has_ports[256] = {
	[DRB_PROTOCOL_TCP] = true,  [DRB_PROTOCOL_UDP] = true,      [DRB_PROTOCOL_DCCP] = true,
	[DRB_PROTOCOL_SCTP] = true, [DRB_PROTOCOL_UDP_LITE] = true,
};

// Reads the ports, and the flags if this is TCP.
static void read_ports(const uint8_t *p, uint32_t left, struct drb_flow_key *key, uint8_t *flags)
{
	if (!drb_flow_has_ports[key->protocol] || left < 4)
		return;
	memcpy(&key->src_port, p, 2);
	memcpy(&key->dst_port, p + 2, 2);
	if (key->protocol == DRB_PROTOCOL_TCP && left > DRB_TCP_FLAGS)
		*flags = p[DRB_TCP_FLAGS];
}

static bool read_ipv4(const uint8_t *p, uint32_t left, struct drb_flow_key *key, uint8_t *flags)
{
	uint32_t header;

	if (left < DRB_IPV4_HEADER || p[0] >> 4 != 4)
		return false;
	header = (p[0] & 15u) * 4;
	memcpy(key->src, p + DRB_IPV4_SRC, 4);
	memcpy(key->dst, p + DRB_IPV4_DST, 4);
	key->protocol = p[DRB_IPV4_PROTOCOL];
	if (header >= DRB_IPV4_HEADER && header <= left &&
	    (drb_load16(p + DRB_IPV4_FRAGMENT) & (DRB_IPV4_MORE | DRB_IPV4_OFFSET)) == 0)
		read_ports(p + header, left - header, key, flags);
	return true;
}

static bool is_passed_over(uint8_t protocol)
{
	return protocol == DRB_PROTOCOL_HOP_BY_HOP || protocol == DRB_PROTOCOL_ROUTING ||
	       protocol == DRB_PROTOCOL_OPTIONS;
}

static bool read_ipv6(const uint8_t *p, uint32_t left, struct drb_flow_key *key, uint8_t *flags)
{
	if (left < DRB_IPV6_HEADER || p[0] >> 4 != 6)
		return false;
	memcpy(key->src, p + DRB_IPV6_SRC, 16);
	memcpy(key->dst, p + DRB_IPV6_DST, 16);
	key->protocol = p[DRB_IPV6_NEXT];
	p += DRB_IPV6_HEADER;
	left -= DRB_IPV6_HEADER;
	// Hop-by-hop, routing and destination options precede the ports. A fragment header ends the
	// search, so that the flow has no ports.
	for (int i = 0; i < 4 && is_passed_over(key->protocol); i++) {
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
	uint32_t at = DRB_ETHER_HEADER;
	uint16_t type = drb_load16(frame + DRB_ETHER_TYPE);

	memset(key, 0, sizeof(*key));
	while ((type == DRB_ETHERTYPE_VLAN || type == DRB_ETHERTYPE_QINQ) &&
	       len >= at + DRB_VLAN_TAG) {
		type = drb_load16(frame + at + 2);
		at += DRB_VLAN_TAG;
	}
	key->ethertype = (uint16_t)(type >> 8 | type << 8);
	if (type == DRB_ETHERTYPE_IPV4 && read_ipv4(frame + at, len - at, key, &flags))
		return flags;
	if (type == DRB_ETHERTYPE_IPV6 && read_ipv6(frame + at, len - at, key, &flags))
		return flags;
	// The second bytes may carry marks of the fabric, which are not part of the flow.
	key->dst[0] = frame[DRB_ETHER_DST];
	memcpy(key->dst + 2, frame + DRB_ETHER_DST + 2, 4);
	key->src[0] = frame[DRB_ETHER_SRC];
	memcpy(key->src + 2, frame + DRB_ETHER_SRC + 2, 4);
	return 0;
}

uint64_t drb_flow_hash_of_any(const uint8_t *frame, uint32_t len, uint8_t *flags)
{
	struct drb_flow_key key;

	*flags = drb_flow_key_of(frame, len, &key);
	return drb_flow_hash(&key);
}

uint64_t drb_flow_keyed_hash_of_any(const struct drb_hash_key *secret, const uint8_t *frame,
				    uint32_t len, uint8_t *flags)
{
	struct drb_flow_key key;

	*flags = drb_flow_key_of(frame, len, &key);
	return drb_flow_keyed_hash(secret, &key);
}
