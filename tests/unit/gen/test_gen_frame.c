// SPDX-License-Identifier: BSD-3-Clause
// Measured packets as frames, and the internet checksum.
#include "fixtures/unit.h"

#include "core/math/random.h"

#include "core/packet/checksum.h"

#include "gen/frames/measured_frame.h"

// RFC 1071, section 3: the example's sum is ddf2.
TEST(checksum_of_the_rfc_example)
{
	static const uint8_t data[] = {0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7};
	assert_int_equal(drb_checksum(data, sizeof(data)), (uint16_t)~0xddf2);
	assert_int_equal(drb_checksum(data, 7), (uint16_t) ~(0xddf2 - 0x00f7));
}

TEST(updated_checksum_is_the_one_computed_anew)
{
	struct drb_rng rng = drb_rng_seed(5, 0);
	for (int round = 0; round < 20000; round++) {
		uint8_t data[64], change[16];
		size_t at = 2 * drb_rng_below(&rng, 24), n = 2 + 2 * drb_rng_below(&rng, 8);
		for (size_t i = 0; i < sizeof(data); i++)
			data[i] = (uint8_t)drb_rng_next(&rng);
		for (size_t i = 0; i < n; i++)
			change[i] =
				round % 3 ? (uint8_t)drb_rng_next(&rng) : (uint8_t) - (round & 1);
		uint16_t sum =
			drb_checksum_update(drb_checksum(data, sizeof(data)), data + at, change, n);
		memcpy(data + at, change, n);
		assert_int_equal(sum, drb_checksum(data, sizeof(data)));
	}
}

TEST(probe_reads_back)
{
	struct drb_addr_plan plan = drb_addr_default(70000);
	static const uint32_t sizes[] = {FRAME_MIN, FRAME_MIN + 1, 128, FRAME_MAX};
	struct frame_probe in = {
		.src = 3, .dst = 69999, .cohort = 123456, .sequence = 77, .tx_ns = 1};
	struct frame_probe out;
	uint8_t frame[FRAME_MAX];
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		frame_build(frame, sizes[i], &plan, &in);
		in.tx_ns += UINT64_C(0x0102030405060708);
		frame_set_tx(frame, in.tx_ns);
		assert_int_equal(frame_parse(frame, sizes[i], &plan, &out), 0);
		assert_memory_equal(&in, &out, sizeof(in));
		assert_int_equal(drb_checksum(frame + 14, 20), 0);
		assert_int_equal(drb_load16(frame + 16), sizes[i] - 14);
		assert_int_equal(drb_load16(frame + 38), sizes[i] - 34);
	}
}

// The byte of the frame that is changed, and the result of reading the frame then.
static const struct {
	uint32_t at;
	int result;
	const char *what;
} damages[] = {
	{5, -EBADMSG, "destination MAC"}, {11, -EBADMSG, "source MAC"},
	{12, -ENOMSG, "ethertype"},       {14, -ENOMSG, "IP version and header length"},
	{23, -ENOMSG, "protocol"},        {29, -EBADMSG, "source IP"},
	{33, -EBADMSG, "destination IP"}, {36, -ENOMSG, "destination port"},
	{42, -ENOMSG, "magic"},           {46, -ENOMSG, "version"},
	{50, -EBADMSG, "source label"},   {57, -EBADMSG, "destination label"},
};

TEST(damage_is_seen)
{
	struct drb_addr_plan plan = drb_addr_default(16);
	struct frame_probe in = {.src = 3, .dst = 9}, out;
	uint8_t frame[FRAME_MIN];
	for (size_t i = 0; i < ARRAY_SIZE(damages); i++) {
		frame_build(frame, sizeof(frame), &plan, &in);
		frame[damages[i].at] ^= 0x21;
		if (frame_parse(frame, sizeof(frame), &plan, &out) != damages[i].result)
			fail_msg("%s", damages[i].what);
	}
	frame_build(frame, sizeof(frame), &plan, &in);
	for (size_t size = 0; size < sizeof(frame); size++)
		assert_int_equal(frame_parse(frame, size, &plan, &out), -ENOMSG);
}

TEST_MAIN(NULL, NULL)
