// SPDX-License-Identifier: BSD-3-Clause
// Replies to hosts whose packets are too big: written by hand and read back. Any bytes are safe.
#include "fixtures/unit.h"

#include "core/packet/bytes.h"
#include "core/math/random.h"
#include "core/packet/checksum.h"
#include "core/packet/packet_too_big.h"
#include "core/packet/wire.h"

#define ROUNDS 200000

static uint8_t frame[3000], answer[DRB_TOO_BIG_MAX];

static const uint8_t macs[12] = {2, 0, 0, 0, 0, 7, 2, 0, 0, 0, 0, 1};

// Writes an Ethernet header with tags; returns its bytes.
static uint32_t put_ethernet(uint32_t tags, uint16_t type)
{
	uint32_t at = 12;

	memset(frame, 0xaa, sizeof(frame));
	memcpy(frame, macs, sizeof(macs));
	for (uint32_t i = 0; i < tags; i++, at += 4) {
		drb_store16(frame + at,
			    i == 0 && tags == 2 ? DRB_ETHERTYPE_QINQ : DRB_ETHERTYPE_VLAN);
		drb_store16(frame + at + 2, (uint16_t)(100 + i));
	}
	drb_store16(frame + at, type);
	return at + 2;
}

static uint8_t *make_ipv4(uint32_t tags, uint8_t protocol)
{
	uint8_t *ip = frame + put_ethernet(tags, DRB_ETHERTYPE_IPV4);
	const uint8_t header[20] = {0x45, 0, 0x0b, 0xb8, 1, 2, 0x40, 0, 64, protocol,
				    0,    0, 10,   0,    0, 1, 10,   0, 0,  8};

	memcpy(ip, header, sizeof(header));
	ip[20] = 8;
	return ip;
}

static uint8_t *make_ipv6(uint32_t tags, uint8_t next)
{
	uint8_t *ip = frame + put_ethernet(tags, DRB_ETHERTYPE_IPV6);

	memset(ip, 0, 40);
	ip[0] = 0x60;
	drb_store16(ip + 4, 2900);
	ip[6] = next;
	ip[8] = ip[24] = 0xfd;
	ip[23] = 1;
	ip[39] = 8;
	ip[40] = 128;
	return ip;
}

static uint32_t ask(uint32_t len)
{
	return drb_packet_too_big(frame, len, 1500, answer);
}

static void comes_back(uint32_t ethernet)
{
	assert_memory_equal(answer, macs + 6, 6);
	assert_memory_equal(answer + 6, macs, 6);
	assert_memory_equal(answer + 12, frame + 12, ethernet - 12); // tags and type
}

TEST(ipv4_is_told)
{
	for (uint32_t tags = 0; tags <= 2; tags++) {
		const uint8_t *ip = make_ipv4(tags, DRB_PROTOCOL_TCP);
		const uint32_t ethernet = 14 + 4 * tags;
		assert_int_equal(ask(1523), ethernet + 576);
		comes_back(ethernet);
		const uint8_t *a = answer + ethernet, *icmp = a + 20;
		assert_int_equal(a[0], 0x45);
		assert_int_equal(drb_load16(a + 2), 576);
		assert_int_equal(drb_checksum(a, 20), 0);
		assert_int_equal(a[9], 1);
		assert_memory_equal(a + 12, ip + 16, 4);
		assert_memory_equal(a + 16, ip + 12, 4);
		assert_int_equal(icmp[0], 3);
		assert_int_equal(icmp[1], 4);
		assert_int_equal(drb_load16(icmp + 4), 0);
		assert_int_equal(drb_load16(icmp + 6), 1500);
		assert_int_equal(drb_checksum(icmp, 556), 0);
		assert_memory_equal(icmp + 8, ip, 548);
	}
}

TEST(ipv6_is_told)
{
	for (uint32_t tags = 0; tags <= 2; tags++) {
		const uint8_t *ip = make_ipv6(tags, DRB_PROTOCOL_UDP);
		const uint32_t ethernet = 14 + 4 * tags;
		assert_int_equal(ask(1523), ethernet + 1280);
		comes_back(ethernet);
		const uint8_t *a = answer + ethernet, *icmp = a + 40;
		assert_int_equal(a[0], 0x60);
		assert_int_equal(drb_load16(a + 4), 1240);
		assert_int_equal(a[6], 58);
		assert_memory_equal(a + 8, ip + 24, 16);
		assert_memory_equal(a + 24, ip + 8, 16);
		assert_int_equal(icmp[0], 2);
		assert_int_equal(icmp[1], 0);
		assert_int_equal(drb_load32(icmp + 4), 1500);
		assert_memory_equal(icmp + 8, ip, 1232);
		uint64_t sum =
			drb_checksum_sum(a + 8, 32) + drb_checksum_sum(icmp, 1240) + 1240 + 58;
		assert_int_equal(drb_checksum_fold(sum), 0xffff);
	}
}

// A shorter beginning is quoted whole.
TEST(short_beginnings)
{
	make_ipv4(0, DRB_PROTOCOL_TCP);
	assert_int_equal(ask(14 + 100), 14 + 28 + 100);
	assert_int_equal(ask(14 + 28), 14 + 28 + 28);
	assert_int_equal(ask(14 + 27), 0);
	make_ipv6(0, DRB_PROTOCOL_TCP);
	assert_int_equal(ask(14 + 48), 14 + 48 + 48);
	assert_int_equal(ask(14 + 47), 0);
	for (uint32_t len = 0; len < 14; len++)
		assert_int_equal(ask(len), 0);
}

TEST(who_asks_for_no_answer)
{
	static const uint8_t errors[] = {3, 4, 5, 11, 12}, others[] = {0, 8, 13, 14};
	static const struct {
		uint32_t at;
		uint8_t value;
	} ipv4[] = {{6, 0},    {7, 1},    {0, 0x44}, {0, 0x65}, {12, 0},
		    {12, 127}, {12, 224}, {16, 239}, {16, 255}},
	  ipv6[] = {{0, 0x45}, {8, 0xff}, {24, 0xff}};

	for (size_t i = 0; i < ARRAY_SIZE(ipv4); i++) {
		make_ipv4(0, DRB_PROTOCOL_UDP)[ipv4[i].at] = ipv4[i].value;
		assert_int_equal(ask(1523), 0);
	}
	for (size_t i = 0; i < ARRAY_SIZE(ipv6); i++) {
		make_ipv6(0, DRB_PROTOCOL_UDP)[ipv6[i].at] = ipv6[i].value;
		assert_int_equal(ask(1523), 0);
	}
	memset(make_ipv6(0, DRB_PROTOCOL_UDP) + 8, 0, 16);
	assert_int_equal(ask(1523), 0);
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		make_ipv4(0, DRB_PROTOCOL_ICMP)[20] = errors[i];
		assert_int_equal(ask(1523), 0);
	}
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		make_ipv4(0, DRB_PROTOCOL_ICMP)[20] = others[i];
		assert_true(ask(1523) > 0);
	}
	make_ipv6(0, DRB_PROTOCOL_ICMPV6)[40] = 1;
	assert_int_equal(ask(1523), 0);
	make_ipv6(0, DRB_PROTOCOL_ICMPV6);
	assert_true(ask(1523) > 0);
	put_ethernet(0, DRB_ETHERTYPE_ARP);
	assert_int_equal(ask(1523), 0);
	make_ipv4(0, DRB_PROTOCOL_UDP);
	frame[0] = 3; // to a group
	assert_int_equal(ask(1523), 0);
	make_ipv4(3, DRB_PROTOCOL_UDP);
	assert_int_equal(ask(1523), 0);
}

// Replies to any bytes stay within their limits, and no reply is answered with another.
TEST(any_octets)
{
	struct drb_rng r = drb_rng_seed(1, 2);
	uint32_t answered = 0;

	for (uint32_t i = 0; i < ROUNDS; i++) {
		if (i & 1)
			make_ipv4(i / 2 % 3, (uint8_t)drb_rng_below(&r, 60));
		else
			make_ipv6(i / 2 % 3, (uint8_t)drb_rng_below(&r, 60));
		for (uint32_t n = drb_rng_below(&r, 4); n > 0; n--)
			frame[drb_rng_below(&r, 70)] = (uint8_t)drb_rng_next(&r);
		uint32_t len = drb_rng_below(&r, sizeof(frame) + 1);
		uint8_t *exact = malloc(len ? len : 1), *room = malloc(DRB_TOO_BIG_MAX),
			again[DRB_TOO_BIG_MAX];
		memcpy(exact, frame, len);
		uint32_t n = drb_packet_too_big(exact, len, 1500, room);
		assert_true(n <= DRB_TOO_BIG_MAX);
		if (n > 0) {
			assert_int_equal(drb_packet_too_big(room, n, 1280, again), 0);
			answered++;
		}
		free(exact);
		free(room);
	}
	assert_true(answered > ROUNDS / 4);
}

TEST_MAIN(NULL, NULL)
