// SPDX-License-Identifier: BSD-3-Clause
// Checksums that a kernel left to its device are completed, in every kind of frame it may be in, and
// nothing else of the frame is touched.
#include "fixtures/unit.h"

#include <stdlib.h>
#include <string.h>

#include "core/math/random.h"
#include "core/packet/bytes.h"
#include "core/packet/checksum.h"
#include "core/packet/wire.h"
#include "switch/ports/packet_socket/complete_checksum.h"

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

// A frame as a kernel leaves it to a device: the sum of the pseudo-header stands for the checksum.
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

static void checksums_are_completed(void **state)
{
	struct drb_rng rng = drb_rng_seed(1, 0);
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(recipes); i++) {
		struct made m;
		uint8_t before[ROOM];
		make(&m, &recipes[i], &rng);
		memcpy(before, m.frame, ROOM);
		// Padding behind the packet is no part of it.
		if (!drb_complete_checksum(m.frame, m.length + 5))
			fail_msg("%s: not completed", recipes[i].what);
		uint64_t sum =
			m.pseudo + drb_checksum_sum(m.frame + m.transport, m.length - m.transport);
		if (drb_checksum_fold(sum) != 0xffff)
			fail_msg("%s: the checksum is wrong", recipes[i].what);
		memcpy(before + m.field, m.frame + m.field, 2);
		assert_memory_equal(m.frame, before, ROOM);
	}
}

static void incomplete_frames_are_left(void **state)
{
	struct drb_rng rng = drb_rng_seed(2, 0);
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(recipes); i++) {
		struct made m;
		make(&m, &recipes[i], &rng);
		for (uint32_t length = 0; length < m.length; length++) {
			// A copy of this length alone, for sanitizers.
			uint8_t *copy = malloc(length ? length : 1);
			memcpy(copy, m.frame, length);
			assert_false(drb_complete_checksum(copy, length));
			assert_memory_equal(copy, m.frame, length);
			free(copy);
		}
	}
}

static void any_bytes_are_safe(void **state)
{
	struct drb_rng rng = drb_rng_seed(3, 0);
	(void)state;
	for (uint32_t i = 0; i < 20000; i++) {
		struct made m;
		make(&m, &recipes[i % ARRAY_SIZE(recipes)], &rng);
		uint32_t length = 1 + drb_rng_below(&rng, m.length);
		uint8_t *copy = malloc(length);
		memcpy(copy, m.frame, length);
		for (uint32_t k = 0; k < 3; k++)
			copy[drb_rng_below(&rng, length)] = (uint8_t)drb_rng_next(&rng);
		drb_complete_checksum(copy, length);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(checksums_are_completed),
		cmocka_unit_test(incomplete_frames_are_left),
		cmocka_unit_test(any_bytes_are_safe),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
