// SPDX-License-Identifier: BSD-3-Clause
// Hello frames: encoding and decoding give the same hello, and no other frame is accepted.
#include "fixtures/unit.h"

#include "core/links/hello.h"
#include "core/math/random.h"
#include "fixtures/stored_hellos.h"

static struct drb_hello draw_hello(struct drb_rng *r)
{
	struct drb_hello h = {
		.from = {.layer = 1 + drb_rng_below(r, DRB_LAYERS_MAX),
			 .label = drb_rng_below(r, DRB_HOSTS_MAX),
			 .port = drb_rng_below(r, 2 * DRB_ARITY_MAX),
			 .up = drb_rng_below(r, 2)},
		.fabric = drb_rng_next(r),
		.period_ms = 1 + drb_rng_below(r, DRB_HELLO_PERIOD_MAX_MS),
		.flags = (uint8_t)drb_rng_below(r, 256),
		.serial = {drb_rng_next(r) | 1, drb_rng_next(r)},
		.echo = {drb_rng_next(r), drb_rng_next(r)},
		.mac = (uint16_t)drb_rng_next(r),
		.ipv4 = (uint32_t)drb_rng_next(r),
		.ipv4_len = (uint8_t)drb_rng_below(r, 33),
		.ipv6 = {drb_rng_next(r), drb_rng_next(r)},
		.ipv6_len = (uint8_t)drb_rng_below(r, 129),
		.mtu = (uint16_t)drb_rng_next(r),
		.size = (uint16_t)drb_rng_below(r, DRB_HELLO_LEN_MAX + 1),
		.fabric_mtu = (uint16_t)drb_rng_next(r),
	};

	for (uint32_t i = 0; i < DRB_HELLO_TAG_LEN; i++)
		h.tag[i] = (uint8_t)drb_rng_next(r);
	h.outages.count = drb_rng_below(r, 2) ? drb_rng_below(r, DRB_OUTAGES_MAX + 1) : 0;
	for (uint32_t i = 0; i < h.outages.count; i++) {
		h.outages.key[i] = i << 9 | drb_rng_below(r, 1 << 9);
		h.outages.distance[i] = (uint8_t)drb_rng_below(r, DRB_OUTAGE_DISTANCE_MAX + 1);
	}
	h.outages.more = (uint8_t)drb_rng_next(r);
	return h;
}

static void assert_same(const struct drb_hello *a, const struct drb_hello *b)
{
#define X(name, octets, member) assert_true(a->member == b->member);
	DRB_HELLO_FIELDS(X)
#undef X
	assert_memory_equal(a->tag, b->tag, sizeof(a->tag));
	assert_true(drb_outages_equal(&a->outages, &b->outages));
}

TEST(round_trip)
{
	struct drb_rng r = drb_rng_seed(1, 1);
	uint8_t frame[DRB_HELLO_LEN_MAX + 4];

	for (int n = 0; n < 10000; n++) {
		struct drb_hello h = draw_hello(&r), again;
		// Bytes behind the frame's end do not matter.
		memset(frame, 0xff, sizeof(frame));
		uint32_t len = drb_hello_encode(&h, frame);
		assert_true(len >= DRB_HELLO_LEN_MIN && len <= DRB_HELLO_LEN_MAX && len >= h.size);
		h.size = (uint16_t)len;
		assert_true(drb_hello_is(frame));
		assert_int_equal(drb_hello_decode(frame, len, &again), 0);
		assert_same(&h, &again);
		assert_int_equal(drb_hello_decode(frame, sizeof(frame), &again), 0);
		assert_int_equal(drb_hello_decode(frame, len - 1, &again), -EINVAL);
	}
}

// Every byte matters: a frame with a wrong byte is refused or means something else.
TEST(every_octet_counts)
{
	struct drb_rng r = drb_rng_seed(1, 2);
	uint32_t refused = 0;

	for (int n = 0; n < 100; n++) {
		struct drb_hello h = draw_hello(&r), again;
		uint8_t frame[DRB_HELLO_LEN_MAX], other[DRB_HELLO_LEN_MAX];
		h.size = 210;
		h.outages.count %= 8;
		uint32_t len = drb_hello_encode(&h, frame);
		for (uint32_t bit = 0; bit < 8 * len; bit++) {
			if (bit / 8 == 20 || bit / 8 == 21)
				continue; // number of bytes of fields: see later_versions
			memcpy(other, frame, len);
			other[bit / 8] ^= (uint8_t)(1 << bit % 8);
			if (drb_hello_decode(other, len, &again) < 0) {
				refused++;
				continue;
			}
			drb_hello_encode(&again, frame);
			assert_memory_equal(frame, other, len);
			drb_hello_encode(&h, frame);
		}
	}
	// Changes of the Ethernet header, magic, version, position, and of bytes behind the fields
	// are refused.
	assert_true(refused > 100 * 8 * 90);
}

static uint32_t octets_of(const char *text, uint8_t *octets)
{
	uint32_t count = 0;

	for (unsigned octet; sscanf(text + 2 * count, "%2x", &octet) == 1;)
		octets[count++] = (uint8_t)octet;
	return count;
}

// Hellos of all releases are understood, or their version is named.
TEST(stored_hellos_of_releases)
{
	uint8_t frame[DRB_HELLO_LEN_MAX];
	struct drb_hello h;

	for (size_t i = 0; i < ARRAY_SIZE(stored_hellos); i++) {
		const uint32_t length = octets_of(stored_hellos[i].octets, frame);
		const bool same = stored_hellos[i].version == DRB_HELLO_VERSION;
		assert_int_equal(drb_hello_decode(frame, length, &h), same ? 0 : -EPROTO);
		assert_int_equal(drb_hello_version(frame), stored_hellos[i].version);
		if (same)
			assert_same(&h, &stored_hello);
	}
}

// If a hello has another version, only the version is read, whatever follows it. A frame without
// the magic is not a hello.
TEST(other_versions)
{
	uint8_t frame[DRB_HELLO_LEN_MAX], version_at = 18;
	const uint32_t length = octets_of(stored_hellos[0].octets, frame);
	struct drb_hello h;

	for (unsigned version = 0; version < 256; version++) {
		frame[version_at] = (uint8_t)version;
		for (uint32_t len = DRB_ETHER_HEADER; len <= length; len++) {
			int want = len < length ? -EINVAL : 0;
			if (version != DRB_HELLO_VERSION)
				want = len >= DRB_ETHER_HEADER + 24 ? -EPROTO : -EINVAL;
			assert_int_equal(drb_hello_decode(frame, len, &h), want);
		}
		assert_int_equal(drb_hello_version(frame), version);
	}
	frame[version_at - 1] ^= 1;
	assert_int_equal(drb_hello_decode(frame, length, &h), -EINVAL);
}

// Fields that a later version adds are ignored. The other fields are checked as strictly as before.
TEST(later_versions)
{
	struct drb_rng r = drb_rng_seed(1, 3);
	struct drb_hello h = draw_hello(&r), again;
	uint8_t frame[DRB_HELLO_LEN_MAX];

	h.size = 0;
	h.outages.count = 0;
	uint32_t own = drb_hello_encode(&h, frame);
	h.size = (uint16_t)(own + 20);
	uint32_t len = drb_hello_encode(&h, frame);
	memset(frame + own, 0x5a, 16);
	assert_int_equal(drb_hello_decode(frame, len, &again), -EINVAL);
	frame[21] = (uint8_t)(frame[21] + 16); // 16 more bytes of fields
	assert_int_equal(drb_hello_decode(frame, len, &again), 0);
	assert_same(&h, &again);
	frame[21] = (uint8_t)(frame[21] + 5); // more than the frame has
	assert_int_equal(drb_hello_decode(frame, len, &again), -EINVAL);
	frame[21] = (uint8_t)(frame[21] - 22); // fewer than the minimum
	assert_int_equal(drb_hello_decode(frame, len, &again), -EINVAL);
}

TEST(limits)
{
	const struct drb_hello good = {.from = {.layer = 2, .label = 3, .port = 1},
				       .fabric = 7,
				       .period_ms = 100,
				       .serial = {1, 1}};
	struct drb_hello bad[9], again;
	uint8_t frame[DRB_HELLO_LEN_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		bad[i] = good;
	bad[0].from.layer = 0; // a host
	bad[1].from.layer = DRB_LAYERS_MAX + 1;
	bad[2].from.label = DRB_HOSTS_MAX;
	bad[3].from.port = 2 * DRB_ARITY_MAX;
	bad[4].period_ms = 0;
	bad[5].period_ms = DRB_HELLO_PERIOD_MAX_MS + 1;
	bad[6].serial.instance = 0;
	bad[7].outages = (struct drb_outages){.count = 2, .key = {5, 5}}; // must be ascending
	bad[8].outages = (struct drb_outages){.count = 3, .key = {5, 6, 1}};
	drb_hello_encode(&good, frame);
	assert_int_equal(drb_hello_decode(frame, sizeof(frame), &again), 0);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		drb_hello_encode(&bad[i], frame);
		assert_int_equal(drb_hello_decode(frame, sizeof(frame), &again), -EINVAL);
	}
}

// More outages than a hello can have, by their count or by its size.
TEST(too_many_outages)
{
	struct drb_hello h = {.from = {.layer = 2}, .period_ms = 100, .serial = {1, 1}}, again;
	uint8_t frame[DRB_HELLO_LEN_MAX];
	uint32_t len = drb_hello_encode(&h, frame);
	const uint32_t count = len - 5; // followed by "more" and the MTU of the fabric

	assert_int_equal(drb_hello_decode(frame, len, &again), 0);
	frame[count + 1] = 1;
	assert_int_equal(drb_hello_decode(frame, len, &again), -EINVAL);
	h.size = DRB_HELLO_LEN_MAX;
	drb_hello_encode(&h, frame);
	for (uint32_t i = 0; i < DRB_OUTAGES_MAX; i++) { // ascending keys
		frame[len + 3 * i] = (uint8_t)(i >> 8);
		frame[len + 3 * i + 1] = (uint8_t)i;
	}
	frame[count] = DRB_OUTAGES_MAX >> 8;
	frame[count + 1] = DRB_OUTAGES_MAX & 255;
	assert_int_equal(drb_hello_decode(frame, sizeof(frame), &again), 0);
	assert_int_equal(again.outages.count, DRB_OUTAGES_MAX);
	frame[count + 1]++;
	assert_int_equal(drb_hello_decode(frame, sizeof(frame), &again), -EINVAL);
}

static uint64_t fabric_of(const char *name, uint32_t layers, uint32_t arity, uint32_t uplinks)
{
	struct drb_tree t;

	assert_int_equal(drb_tree_init_uplinks(&t, layers, arity, uplinks), 0);
	return drb_hello_fabric(name, &t);
}

TEST(fabrics_differ)
{
	const uint64_t id[] = {
		fabric_of("drb", 3, 2, 2), fabric_of("drb", 2, 3, 3),  fabric_of("drb", 3, 3, 3),
		fabric_of("dr", 3, 2, 2),  fabric_of("drb2", 3, 2, 2), fabric_of("brd", 3, 2, 2),
		fabric_of("drb", 3, 2, 1), fabric_of("drb", 3, 3, 2),  fabric_of("drb", 3, 3, 1),
	};

	assert_true(id[0] == fabric_of("drb", 3, 2, 2));
	for (size_t i = 0; i < ARRAY_SIZE(id); i++) {
		for (size_t k = 0; k < i; k++)
			assert_true(id[i] != id[k]);
	}
}

TEST_MAIN(NULL, NULL)
