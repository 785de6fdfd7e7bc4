// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The flow of a frame: the 5-tuple of IPv4 or IPv6, otherwise the MAC pair and EtherType. Fragments
// have no ports, so all packets of a fragmented datagram belong to one flow.

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "core/math/keyed_hash.h"
#include "core/math/random.h"
#include "core/packet/wire.h"

struct drb_flow_key {
	uint8_t src[16], dst[16];    // IPv6; IPv4 in the first four bytes; MACs in the first six
	uint16_t src_port, dst_port; // network byte order; 0 without ports
	uint16_t ethertype;          // network byte order
	uint8_t protocol;            // IP protocol; 0 if the frame is not IP
	uint8_t zero;
};

_Static_assert(sizeof(struct drb_flow_key) == 40, "hashed as five words");

// Reads at most len bytes of an Ethernet frame (len >= DRB_ETHER_HEADER). Never fails: a frame that
// cannot be read as IP is identified by its MACs. Returns the flags of its TCP header, 0 if it has
// none.
uint8_t drb_flow_key_of(const uint8_t *frame, uint32_t len, struct drb_flow_key *key);

// The hash of flows that schemes use, from the five words of a key. It is the same in switches and
// simulator. It is public: anybody can find flows whose hashes collide. The second product is 0
// except for IPv6.
static inline uint64_t drb_flow_hash_words(uint64_t src, uint64_t src_end, uint64_t dst,
					   uint64_t dst_end, uint64_t rest)
{
	return drb_fold64(src ^ (dst << 32 | dst >> 32), rest) ^
	       (drb_fold64(src_end, dst_end) ^ drb_fold64(0, 0));
}

static inline uint64_t drb_flow_hash(const struct drb_flow_key *key)
{
	uint64_t word[5];

	memcpy(word, key, sizeof(word));
	return drb_flow_hash_words(word[0], word[1], word[2], word[3], word[4]);
}

// The same under a secret key, for tables: without the key, flows whose hashes collide cannot be
// chosen. Both IPv4 addresses are one word already.
static inline uint64_t drb_flow_keyed_hash(const struct drb_hash_key *secret,
					   const struct drb_flow_key *key)
{
	uint64_t word[5], addresses;

	memcpy(word, key, sizeof(word));
	for (int i = 0; i < 5; i++)
		word[i] = le64toh(word[i]);
	if ((word[1] | word[3] | word[0] >> 32 | word[2] >> 32) == 0)
		addresses = word[0] | word[2] << 32;
	else
		addresses = drb_keyed_hash(secret, drb_keyed_hash(secret, word[0], word[1]),
					   drb_keyed_hash(secret, word[2], word[3]));
	return drb_keyed_hash(secret, addresses, word[4]);
}

// By IP protocol: true if its header begins with two ports.
extern const bool drb_flow_has_ports[256];

// The words of a common frame's key: both addresses, and the rest. *flags is the result of
// drb_flow_key_of(). Returns false for other frames. Common frames are IPv4 without VLAN tags,
// options and fragments, long enough for a TCP header.
static inline bool drb_flow_plain(const uint8_t *frame, uint32_t len, uint64_t *addresses,
				  uint64_t *rest, uint8_t *flags)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	// From byte 12 on: EtherType, version and header length; then fragment, TTL and protocol.
	const uint8_t *ip = frame + DRB_ETHER_HEADER, *transport = ip + DRB_IPV4_HEADER;
	uint32_t type, fragment, ports;
	uint64_t protocol;

	if (__builtin_expect(len < DRB_ETHER_HEADER + DRB_IPV4_HEADER + DRB_TCP_HEADER, 0))
		return false;
	memcpy(&type, frame + DRB_ETHER_TYPE, 4);
	memcpy(&fragment, ip + DRB_IPV4_FRAGMENT, 4);
	protocol = fragment >> 24;
	if (__builtin_expect(type << 8 == 0x45000800 && (fragment & 0xff3f) == 0 &&
				     drb_flow_has_ports[protocol],
			     1)) {
		memcpy(addresses, ip + DRB_IPV4_SRC, 8);
		memcpy(&ports, transport, 4);
		*flags = transport[DRB_TCP_FLAGS] & (protocol == DRB_PROTOCOL_TCP ? 0xff : 0);
		*rest = ports ^ protocol << 48 ^ UINT64_C(0x0008) << 32;
		return true;
	}
#else
	(void)frame, (void)len, (void)addresses, (void)rest, (void)flags;
#endif
	return false;
}

uint64_t drb_flow_hash_of_any(const uint8_t *frame, uint32_t len, uint8_t *flags);
uint64_t drb_flow_keyed_hash_of_any(const struct drb_hash_key *secret, const uint8_t *frame,
				    uint32_t len, uint8_t *flags);

// Computes key and hash of a frame in one step.
static inline uint64_t drb_flow_hash_of(const uint8_t *frame, uint32_t len, uint8_t *flags)
{
	uint64_t addresses, rest;

	if (__builtin_expect(drb_flow_plain(frame, len, &addresses, &rest, flags), 1))
		return drb_flow_hash_words(addresses, 0, 0, 0, rest);
	return drb_flow_hash_of_any(frame, len, flags);
}

static inline uint64_t drb_flow_keyed_hash_of(const struct drb_hash_key *secret,
					      const uint8_t *frame, uint32_t len, uint8_t *flags)
{
	uint64_t addresses, rest;

	if (__builtin_expect(drb_flow_plain(frame, len, &addresses, &rest, flags), 1))
		return drb_keyed_hash(secret, addresses, rest);
	return drb_flow_keyed_hash_of_any(secret, frame, len, flags);
}
