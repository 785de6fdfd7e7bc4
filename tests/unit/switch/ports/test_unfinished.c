// SPDX-License-Identifier: BSD-3-Clause
// Partial checksums from a kernel are finished, in every kind of frame, and nothing else of the
// frame is changed. Where the kernel does not report them, they are found.
#include "fixtures/unit.h"

#include <rte_hash_crc.h>

#include "core/math/random.h"
#include "core/packet/bytes.h"
#include "core/packet/checksum.h"
#include "core/packet/wire.h"
#include "fixtures/switch_eal.h"
#include "switch/ports/unfinished.h"

#define ROOM 256

static const struct recipe {
	const char *what;
	uint32_t tags, options, data;
	bool ipv6;
	uint8_t protocol;
} recipes[] = {
	{"TCP over IPv4", 0, 0, 11, false, DRB_PROTOCOL_TCP},
	{"UDP over IPv4", 0, 0, 10, false, DRB_PROTOCOL_UDP},
	{"TCP, IPv4 options", 0, 8, 0, false, DRB_PROTOCOL_TCP},
	{"UDP, one tag", 1, 0, 1, false, DRB_PROTOCOL_UDP},
	{"TCP over IPv6", 0, 0, 40, true, DRB_PROTOCOL_TCP},
	{"UDP over IPv6, two tags", 2, 0, 7, true, DRB_PROTOCOL_UDP},
};

// A frame as a kernel passes it to a device: the checksum field has the sum of the pseudo-header.
struct made {
	uint8_t frame[ROOM];
	uint32_t length, transport, field; // length without padding
	uint16_t pseudo;
};

static void make(struct made *m, const struct recipe *r, struct drb_rng *rng)
{
	uint32_t header = r->protocol == DRB_PROTOCOL_TCP ? DRB_TCP_HEADER : DRB_UDP_HEADER;
	uint32_t at = DRB_ETHER_TYPE, segment = header + r->data;

	for (uint32_t i = 0; i < ROOM; i++)
		m->frame[i] = (uint8_t)drb_rng_next(rng);
	for (uint32_t i = 0; i < r->tags; i++, at += DRB_VLAN_TAG)
		drb_store16(m->frame + at,
			    i + 1 < r->tags ? DRB_ETHERTYPE_QINQ : DRB_ETHERTYPE_VLAN);
	drb_store16(m->frame + at, r->ipv6 ? DRB_ETHERTYPE_IPV6 : DRB_ETHERTYPE_IPV4);
	uint8_t *ip = m->frame + at + 2, *addresses = ip + (r->ipv6 ? DRB_IPV6_SRC : DRB_IPV4_SRC);
	uint32_t ip_header = r->ipv6 ? DRB_IPV6_HEADER : DRB_IPV4_HEADER + r->options;
	if (r->ipv6) {
		drb_store16(ip + DRB_IPV6_PAYLOAD, (uint16_t)segment);
		ip[DRB_IPV6_NEXT] = r->protocol;
	} else {
		ip[0] = (uint8_t)(0x40 | ip_header / 4);
		drb_store16(ip + DRB_IPV4_LENGTH, (uint16_t)(ip_header + segment));
		drb_store16(ip + DRB_IPV4_FRAGMENT, DRB_IPV4_DONT);
		ip[DRB_IPV4_PROTOCOL] = r->protocol;
	}
	m->transport = at + 2 + ip_header;
	m->length = m->transport + segment;
	m->field = m->transport +
		   (r->protocol == DRB_PROTOCOL_TCP ? DRB_TCP_CHECKSUM : DRB_UDP_CHECKSUM);
	m->pseudo = drb_checksum_fold(drb_checksum_sum(addresses, r->ipv6 ? 32 : 8) + r->protocol +
				      segment);
	drb_store16(m->frame + m->field, m->pseudo);
}

TEST(checksums_are_finished)
{
	struct drb_rng rng = drb_rng_seed(1, 0);
	for (size_t i = 0; i < ARRAY_SIZE(recipes); i++) {
		struct made m;
		uint8_t before[ROOM];
		make(&m, &recipes[i], &rng);
		memcpy(before, m.frame, ROOM);
		if (!drb_finish_checksum(m.frame, m.length, m.transport, m.field - m.transport))
			fail_msg("%s: not finished", recipes[i].what);
		uint64_t sum =
			m.pseudo + drb_checksum_sum(m.frame + m.transport, m.length - m.transport);
		if (drb_checksum_fold(sum) != 0xffff)
			fail_msg("%s: the checksum is wrong", recipes[i].what);
		memcpy(before + m.field, m.frame + m.field, 2);
		assert_memory_equal(m.frame, before, ROOM);
	}
}

// The field must be in the frame.
TEST(fields_outside_are_left)
{
	struct drb_rng rng = drb_rng_seed(2, 0);
	for (size_t i = 0; i < ARRAY_SIZE(recipes); i++) {
		struct made m;
		make(&m, &recipes[i], &rng);
		for (uint32_t length = 0; length < m.field + 2; length++) {
			// A copy of exactly this length, for sanitizers.
			uint8_t *copy = malloc(length ? length : 1);
			memcpy(copy, m.frame, length);
			assert_false(drb_finish_checksum(copy, length, m.transport,
							 m.field - m.transport));
			assert_memory_equal(copy, m.frame, length);
			free(copy);
		}
	}
}

// CRC32c of nine digits is known. UDP has no checksum of 0.
TEST(other_sums)
{
	uint8_t sctp[21] = "123456780000abcd9";
	uint8_t udp[8] = {0xff, 0xff};
	memset(sctp + 8, 0, 4);
	assert_true(drb_finish_checksum(sctp, 9, 0, 200) == false);
	assert_true(drb_finish_checksum(sctp, 12, 0, 8));
	uint32_t crc = ~rte_hash_crc("12345678\0\0\0", 12, UINT32_MAX);
	assert_memory_equal(sctp + 8, &crc, 4);
	assert_int_equal((uint32_t)~rte_hash_crc("123456789", 9, UINT32_MAX), 0xe3069283);
	assert_true(drb_finish_checksum(udp, sizeof(udp), 0, 6));
	assert_int_equal(drb_load16(udp + 6), 0xffff);
}

// Partial checksums are found from the bytes alone in frames without tags and options. Finished
// checksums are not taken for partial ones.
TEST(unfinished_ones_are_found)
{
	struct drb_rng rng = drb_rng_seed(4, 0);
	for (size_t i = 0; i < ARRAY_SIZE(recipes); i++) {
		struct made m;
		make(&m, &recipes[i], &rng);
		struct rte_mbuf *packet = mbuf_of(m.frame, m.length);
		drb_find_unfinished(packet);
		bool plain = recipes[i].tags == 0 && recipes[i].options == 0;
		assert_int_equal(drb_is_unfinished(packet), plain);
		if (plain) {
			assert_int_equal(packet->l3_len, m.transport);
			assert_int_equal(packet->l4_len, m.field - m.transport);
			drb_finish_checksums(&packet, 1);
			drb_find_unfinished(packet);
			assert_false(drb_is_unfinished(packet));
		}
		rte_pktmbuf_free(packet);
	}
}

// In a fragment, the bytes at the position of a checksum are either not one, or cover more than the
// fragment.
TEST(fragments_are_left)
{
	static const uint16_t fields[] = {DRB_IPV4_MORE, 1480 / 8, DRB_IPV4_MORE | 1480 / 8};
	struct drb_rng rng = drb_rng_seed(5, 0);
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		struct made m;
		make(&m, &recipes[1], &rng);
		drb_store16(m.frame + DRB_ETHER_HEADER + DRB_IPV4_FRAGMENT, fields[i]);
		struct rte_mbuf *packet = mbuf_of(m.frame, m.length);
		drb_find_unfinished(packet);
		assert_false(drb_is_unfinished(packet));
		rte_pktmbuf_free(packet);
	}
}

// The same packets in tunnels. The outer packet's checksum is finished or absent.
TEST(unfinished_ones_in_tunnels_are_found)
{
	static const struct {
		uint16_t port; // 0: IP in IP
		uint32_t shim;
		uint8_t first;
	} tunnels[] = {{4789, 8, 8}, {8472, 8, 8}, {6081, 16, 2}, {0, 0, 0}, {4790, 8, 8}};
	struct drb_rng rng = drb_rng_seed(6, 0);
	for (size_t i = 0; i < 2 * ARRAY_SIZE(tunnels); i++) {
		struct made m, outer;
		const uint16_t port = tunnels[i / 2].port;
		const bool ipv6 = i % 2;
		make(&m, &recipes[ipv6 ? 4 : 1], &rng);
		const uint32_t skipped = port ? 0 : DRB_ETHER_HEADER;
		struct recipe around = recipes[1];
		around.data = tunnels[i / 2].shim + m.length - skipped;
		make(&outer, &around, &rng);
		uint8_t *udp = outer.frame + outer.transport, *in = udp + DRB_UDP_HEADER;
		drb_store16(udp + DRB_UDP_DST_PORT, port);
		drb_store16(udp + DRB_UDP_CHECKSUM, 0);
		in[0] = tunnels[i / 2].first;
		in += tunnels[i / 2].shim;
		if (port == 0) {
			outer.frame[DRB_ETHER_HEADER + DRB_IPV4_PROTOCOL] = ipv6 ? 41 : 4;
			in = udp;
			outer.length -= DRB_UDP_HEADER;
		}
		memcpy(in, m.frame + skipped, m.length - skipped);
		struct rte_mbuf *packet = mbuf_of(outer.frame, outer.length);
		drb_find_unfinished(packet);
		const bool found = port != 4790;
		assert_int_equal(drb_is_unfinished(packet), found);
		if (found) {
			assert_int_equal(packet->l3_len,
					 (uint32_t)(in - outer.frame) + m.transport - skipped);
			assert_int_equal(packet->l4_len, m.field - m.transport);
		}
		// Any shorter part of it is safe to examine.
		for (uint32_t length = 0; length <= outer.length; length++) {
			packet->data_len = (uint16_t)length;
			packet->ol_flags = 0;
			drb_find_unfinished(packet);
			if (drb_is_unfinished(packet))
				assert_true(packet->l3_len + packet->l4_len + 2u <= length);
		}
		rte_pktmbuf_free(packet);
	}
}

TEST_MAIN(setup_eal, free_eal)
