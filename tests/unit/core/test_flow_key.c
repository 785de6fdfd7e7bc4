// SPDX-License-Identifier: BSD-3-Clause
// Flow keys: a 5-tuple wherever a frame has one, and no read beyond the frame. Frames are in heap
// blocks of their exact size.
#include "fixtures/unit.h"

#include "core/packet/flow_key.h"
#include "core/math/random.h"

#include "fixtures/chi2.h"

// A frame that is built header by header.
struct frame {
	uint8_t data[256];
	uint32_t len;
};

static void put(struct frame *f, const void *bytes, uint32_t len)
{
	assert_true(f->len + len <= sizeof(f->data));
	memcpy(f->data + f->len, bytes, len);
	f->len += len;
}

#define PUT(f, ...) put(f, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static struct frame ether(void)
{
	struct frame f = {.len = 0};

	PUT(&f, 0x02, 0, 0, 0, 0, 10, 0x02, 0, 0, 0, 0, 4);
	return f;
}

static void put_ipv4(struct frame *f, uint8_t protocol, uint16_t fragment, uint32_t options)
{
	PUT(f, 0x08, 0x00);
	PUT(f, (uint8_t)(0x45 + options), 0, 0, 60, 0, 1, (uint8_t)(fragment >> 8),
	    (uint8_t)fragment, 64, protocol, 0, 0, 10, 0, 0, 5, 10, 0, 0, 11);
	for (uint32_t i = 0; i < options; i++)
		PUT(f, 1, 1, 1, 1);
}

static void put_ipv6(struct frame *f, uint8_t next)
{
	PUT(f, 0x86, 0xdd);
	PUT(f, 0x60, 0, 0, 0, 0, 60, next, 64);
	PUT(f, 0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5);
	PUT(f, 0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 11);
}

static void put_ports(struct frame *f)
{
	PUT(f, 0x12, 0x34, 0x56, 0x78, 0, 0, 0, 0);
}

static struct drb_flow_key key_of(const uint8_t *frame, uint32_t len)
{
	struct drb_flow_key key;
	uint8_t *copy = malloc(len);

	assert_non_null(copy);
	memcpy(copy, frame, len);
	memset(&key, 0xa5, sizeof(key));
	drb_flow_key_of(copy, len, &key);
	assert_int_equal(key.zero, 0);
	uint8_t flags, want = drb_flow_key_of(copy, len, &key);
	assert_int_equal(drb_flow_hash_of(copy, len, &flags), drb_flow_hash(&key));
	assert_int_equal(flags, want);
	const struct drb_hash_key secret = {{len, want, 3, UINT64_C(0x9e3779b97f4a7c15)}};
	assert_true(drb_flow_keyed_hash_of(&secret, copy, len, &flags) ==
		    drb_flow_keyed_hash(&secret, &key));
	assert_int_equal(flags, want);
	free(copy);
	return key;
}

// Only TCP has TCP flags.
TEST(tcp_flags)
{
	static const uint8_t protocols[] = {6, 17, 132, 1};

	for (size_t i = 0; i < ARRAY_SIZE(protocols); i++) {
		for (int v6 = 0; v6 < 2; v6++) {
			struct drb_flow_key key;
			struct frame f = ether();
			if (v6)
				put_ipv6(&f, protocols[i]);
			else
				put_ipv4(&f, protocols[i], 0, 2);
			put_ports(&f);
			PUT(&f, 0, 0, 0, 0, 0x50);
			// A frame that ends before the flags has none, and neither has a fragment.
			assert_int_equal(drb_flow_key_of(f.data, f.len, &key), 0);
			PUT(&f, DRB_TCP_FIN | 0x10);
			assert_int_equal(drb_flow_key_of(f.data, f.len, &key),
					 protocols[i] == 6 ? 0x11 : 0);
			if (!v6)
				f.data[21] = 1;
			if (!v6)
				assert_int_equal(drb_flow_key_of(f.data, f.len, &key), 0);
		}
	}
}

// Checks a key: addresses of IPv4 (4), IPv6 (6) or Ethernet (0), with or without ports.
static void check(const struct frame *f, uint32_t ip, uint16_t ethertype, uint8_t protocol,
		  bool ports)
{
	struct drb_flow_key want = {.protocol = protocol}, got = key_of(f->data, f->len);
	const uint8_t type[2] = {(uint8_t)(ethertype >> 8), (uint8_t)ethertype};

	memcpy(&want.ethertype, type, 2);
	if (ip == 4) {
		memcpy(want.src, (const uint8_t[]){10, 0, 0, 5}, 4);
		memcpy(want.dst, (const uint8_t[]){10, 0, 0, 11}, 4);
	} else if (ip == 6) {
		want.src[0] = want.dst[0] = 0xfd;
		want.src[15] = 5;
		want.dst[15] = 11;
	} else {
		memcpy(want.src, f->data + 6, 6);
		memcpy(want.dst, f->data, 6);
	}
	if (ports) {
		memcpy(&want.src_port, (const uint8_t[]){0x12, 0x34}, 2);
		memcpy(&want.dst_port, (const uint8_t[]){0x56, 0x78}, 2);
	}
	assert_memory_equal(&got, &want, sizeof(want));
}

TEST(ipv4)
{
	static const struct {
		uint8_t protocol;
		uint16_t fragment;
		uint32_t options;
		bool ports;
	} cases[] = {
		{6, 0, 0, true},        {17, 0, 0, true},       {132, 0, 0, true},
		{33, 0, 0, true},       {136, 0, 0, true},      {1, 0, 0, false},
		{47, 0, 0, false},      {6, 0x4000, 0, true},   {17, 0x2000, 0, false},
		{17, 0x00b9, 0, false}, {17, 0x1fff, 0, false}, {6, 0, 1, true},
		{6, 0, 10, true},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct frame f = ether();
		put_ipv4(&f, cases[i].protocol, cases[i].fragment, cases[i].options);
		put_ports(&f);
		check(&f, 4, 0x0800, cases[i].protocol, cases[i].ports);
		// The same frame at a usual length, which the hash reads without a key.
		PUT(&f, 0, 0, 0, 0, 0x50, DRB_TCP_FIN, 1, 2, 3, 4, 5, 6);
		check(&f, 4, 0x0800, cases[i].protocol, cases[i].ports);
	}
}

// All fragments of a datagram are one flow, which has no ports.
TEST(fragments_share_a_flow)
{
	struct frame first = ether(), later = ether();

	put_ipv4(&first, 17, 0x2000, 0);
	put_ports(&first);
	put_ipv4(&later, 17, 0x0100, 0);
	PUT(&later, 9, 9, 9, 9, 9, 9, 9, 9);
	struct drb_flow_key a = key_of(first.data, first.len), b = key_of(later.data, later.len);
	assert_memory_equal(&a, &b, sizeof(a));
	assert_int_equal(drb_flow_hash(&a), drb_flow_hash(&b));
}

TEST(ipv6)
{
	static const uint8_t with_ports[] = {6, 17, 33, 132, 136},
			     without[] = {58, 59, 44, 50, 255};
	struct frame f;

	for (size_t i = 0; i < ARRAY_SIZE(with_ports); i++) {
		f = ether();
		put_ipv6(&f, with_ports[i]);
		put_ports(&f);
		check(&f, 6, 0x86dd, with_ports[i], true);
	}
	for (size_t i = 0; i < ARRAY_SIZE(without); i++) {
		f = ether();
		put_ipv6(&f, without[i]);
		put_ports(&f);
		check(&f, 6, 0x86dd, without[i], false);
	}
}

TEST(ipv6_extension_headers)
{
	struct frame f = ether();

	put_ipv6(&f, 0);                  // hop-by-hop, 8 bytes
	PUT(&f, 43, 0, 5, 2, 0, 0, 0, 0); // routing, 16 bytes
	PUT(&f, 60, 1, 0, 0, 0, 0, 0, 0); // destination options, 8 bytes
	PUT(&f, 1, 1, 1, 1, 1, 1, 1, 1);
	PUT(&f, 17, 0, 1, 4, 0, 0, 0, 0);
	put_ports(&f);
	check(&f, 6, 0x86dd, 17, true);
	// A fragment header ends the search.
	f = ether();
	put_ipv6(&f, 60);
	PUT(&f, 44, 0, 1, 4, 0, 0, 0, 0);
	PUT(&f, 17, 0, 0, 1, 0, 0, 0, 7);
	put_ports(&f);
	check(&f, 6, 0x86dd, 44, false);
	// A header that claims to be longer than the frame: no ports, and no byte is read beyond.
	f = ether();
	put_ipv6(&f, 0);
	PUT(&f, 17, 255, 1, 4, 0, 0, 0, 0);
	put_ports(&f);
	check(&f, 6, 0x86dd, 0, false);
}

TEST(vlan_tags)
{
	struct frame f = ether();

	PUT(&f, 0x81, 0x00, 0x00, 0x07);
	put_ipv4(&f, 6, 0, 0);
	put_ports(&f);
	check(&f, 4, 0x0800, 6, true);
	f = ether();
	PUT(&f, 0x88, 0xa8, 0x00, 0x07, 0x81, 0x00, 0x00, 0x08);
	put_ipv6(&f, 17);
	put_ports(&f);
	check(&f, 6, 0x86dd, 17, true);
	f = ether(); // nothing behind the tag
	PUT(&f, 0x81, 0x00);
	check(&f, 0, 0x8100, 0, false);
}

TEST(other_frames)
{
	struct frame f = ether();

	PUT(&f, 0x08, 0x06, 0, 1, 8, 0);
	check(&f, 0, 0x0806, 0, false);
	f = ether();
	put_ipv4(&f, 6, 0, 0);
	f.data[14] = 0x55; // version 5 under IPv4's EtherType
	check(&f, 0, 0x0800, 0, false);
	f = ether();
	put_ipv4(&f, 6, 0, 0);
	put_ports(&f);
	f.data[14] = 0x44; // a header of 16 bytes
	check(&f, 4, 0x0800, 6, false);
	f = ether();
	put_ipv6(&f, 6);
	f.data[14] = 0x40;
	check(&f, 0, 0x86dd, 0, false);
}

// The fabric's marks, in the second bytes of MAC addresses, do not change the flow.
TEST(marks_are_not_of_the_flow)
{
	struct drb_flow_key plain, marked;
	struct frame f = ether();

	PUT(&f, 0x12, 0x34, 0, 1, 8, 0);
	drb_flow_key_of(f.data, f.len, &plain);
	f.data[1] ^= 0x21;
	f.data[7] ^= 1;
	drb_flow_key_of(f.data, f.len, &marked);
	assert_memory_equal(&plain, &marked, sizeof(plain));
	f.data[11] ^= 1;
	drb_flow_key_of(f.data, f.len, &marked);
	assert_memory_not_equal(&plain, &marked, sizeof(plain));
}

// A frame is cut at every length. The key falls back from 5-tuple to IP addresses to MAC addresses,
// and never includes a byte beyond the end.
TEST(truncated_at_every_length)
{
	for (uint32_t len = 14; len <= 42; len++) {
		struct frame f = ether();
		put_ipv4(&f, 17, 0, 0);
		put_ports(&f);
		f.len = len;
		check(&f, len >= 34 ? 4 : 0, 0x0800, len >= 34 ? 17 : 0, len >= 38);
	}
	for (uint32_t len = 14; len <= 78; len++) {
		struct frame f = ether();
		put_ipv6(&f, 0);
		PUT(&f, 17, 0, 1, 4, 0, 0, 0, 0);
		put_ports(&f);
		f.len = len;
		check(&f, len >= 54 ? 6 : 0, 0x86dd, len >= 62 ? 17 : 0, len >= 66);
	}
	for (uint32_t len = 14; len <= 30; len++) {
		struct frame f = ether();
		PUT(&f, 0x88, 0xa8, 0, 7, 0x81, 0, 0, 8, 0x81, 0, 0, 9, 0x08, 0x06, 0, 0, 0, 0);
		f.len = len;
		check(&f, 0, len < 18 ? 0x88a8 : len < 26 ? 0x8100 : 0x0806, 0, false);
	}
}

// Consecutive ports are spread evenly over buckets, as ECMP requires.
TEST(hash_spreads)
{
	uint64_t bucket[16] = {0};

	for (uint32_t i = 0; i < 64000; i++) {
		struct drb_flow_key key = {
			.src = {10, 0, 0, 5}, .dst = {10, 0, 0, 11}, .protocol = 6};
		key.src_port = (uint16_t)i;
		key.dst_port = 80;
		bucket[drb_scale32((uint32_t)(drb_flow_hash(&key) >> 32), 16)]++;
	}
	assert_uniform(bucket, 16);
}

TEST_MAIN(NULL, NULL)
