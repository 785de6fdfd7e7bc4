// SPDX-License-Identifier: BSD-3-Clause
// Reading captures in the form of pcapng: blocks, options, and times in units of the interface.
#include "fixtures/capture_file.h"
#include "fixtures/unit.h"

#include "common/cli/log.h"

struct blocks {
	uint8_t bytes[4096];
	size_t used;
	bool swapped;
};

static void put(struct blocks *b, uint64_t value, uint32_t size)
{
	for (uint32_t i = 0; i < size; i++)
		b->bytes[b->used + (b->swapped ? size - 1 - i : i)] = (uint8_t)(value >> (8 * i));
	b->used += size;
}

static void put_option(struct blocks *b, uint16_t code, const void *value, uint16_t length)
{
	put(b, code, 2);
	put(b, length, 2);
	memcpy(b->bytes + b->used, value, length);
	b->used += (length + 3) / 4 * 4;
}

static size_t begin(struct blocks *b, uint32_t type)
{
	size_t from = b->used;

	put(b, type, 4);
	put(b, 0, 4);
	return from;
}

static void end(struct blocks *b, size_t from)
{
	size_t length = b->used + 4 - from, now = b->used;

	b->used = from + 4;
	put(b, length, 4);
	b->used = now;
	put(b, length, 4);
}

static void put_section(struct blocks *b)
{
	size_t from = begin(b, 0x0a0d0d0a);

	put(b, 0x1a2b3c4d, 4);
	put(b, 1, 4);
	put(b, UINT64_MAX, 8);
	end(b, from);
}

// Begins the block of an interface; its options follow.
static size_t begin_interface(struct blocks *b, uint16_t link)
{
	size_t from = begin(b, 1);

	put(b, link, 2);
	put(b, 0, 2);
	put(b, 96, 4);
	return from;
}

static void put_interface(struct blocks *b, uint16_t link, const char *name, uint8_t resolution)
{
	size_t from = begin_interface(b, link);

	put_option(b, 2, name, (uint16_t)strlen(name));
	put_option(b, 9, &resolution, 1);
	put_option(b, 0, "", 0);
	end(b, from);
}

static void put_packet(struct blocks *b, uint32_t interface, uint64_t time, uint8_t flags,
		       const char *comment)
{
	size_t from = begin(b, 6);

	put(b, interface, 4);
	put(b, time >> 32, 4);
	put(b, time & UINT32_MAX, 4);
	put(b, 62, 4);
	put(b, 100, 4);
	b->bytes[b->used] = flags;
	b->used += 64;
	put_option(b, 1, comment, (uint16_t)strlen(comment));
	put(b, 2, 2);
	put(b, 4, 2);
	put(b, flags, 4);
	end(b, from);
}

// A packet without options, as tcpdump and dumpcap write it.
static void put_plain_packet(struct blocks *b, uint32_t captured, uint32_t size)
{
	size_t from = begin(b, 6);

	put(b, 0, 4);
	put(b, 0, 4);
	put(b, 7, 4);
	put(b, captured, 4);
	put(b, size, 4);
	for (uint32_t i = 0; i < (captured + 3) / 4 * 4; i++)
		b->bytes[b->used++] = (uint8_t)(i < captured ? i + 1 : 0xee);
	end(b, from);
}

TEST(packets_may_have_no_options)
{
	struct blocks b = {0};
	struct trace t = {0};
	put_section(&b);
	put_interface(&b, 1, "eth0", 6);
	for (uint32_t captured = 60; captured <= 64; captured++)
		put_plain_packet(&b, captured, captured);
	assert_int_equal(load_capture(&t, b.bytes, b.used), 0);
	assert_int_equal(t.count, 5);
	for (uint32_t i = 0; i < 5; i++) {
		assert_int_equal(t.packet[i].time_ns, 7000);
		assert_int_equal(t.packet[i].size, 60 + i);
		assert_int_equal(t.packet[i].captured, 60 + i);
		assert_int_equal(t.packet[i].cut, TRACE_WHOLE);
		for (uint32_t k = 0; k < 60 + i; k++)
			assert_int_equal(t.packet[i].frame[k], k + 1);
	}
	trace_free(&t);
}

// Bytes that a packet claims beyond its block, or an interface that is not there, end a capture.
TEST(damaged_packets_end_a_capture)
{
	for (int interface = 0; interface < 2; interface++) {
		struct blocks b = {0};
		struct trace t = {0};
		put_section(&b);
		put_interface(&b, 1, "eth0", 6);
		put_plain_packet(&b, 64, 64);
		size_t second = b.used;
		put_plain_packet(&b, 64, 64);
		// The number of interfaces is 1, so 1 is the first number that is wrong.
		b.bytes[second + (interface ? 8 : 20)] += 1;
		assert_int_equal(load_capture(&t, b.bytes, b.used), 0);
		assert_int_equal(t.count, 1);
		assert_non_null(strstr(drb_msg_last(), "packet 2 is damaged"));
		trace_free(&t);
	}
}

// if_tsoffset: seconds that are added to all times of an interface.
TEST(interfaces_may_move_times)
{
	for (int swapped = 0; swapped < 2; swapped++) {
		const int64_t seconds[] = {1700000000, -3};
		for (size_t i = 0; i < ARRAY_SIZE(seconds); i++) {
			struct blocks b = {.swapped = swapped};
			struct trace t = {0};
			put_section(&b);
			size_t from = begin_interface(&b, 1);
			put(&b, 14, 2);
			put(&b, 8, 2);
			put(&b, (uint64_t)seconds[i], 8);
			end(&b, from);
			put_packet(&b, 0, 5000007, 0, "");
			assert_int_equal(load_capture(&t, b.bytes, b.used), 0);
			assert_int_equal(t.packet[0].time_ns, (seconds[i] + 5) * 1000000000 + 7000);
			trace_free(&t);
		}
	}
}

// Options that do not fit into their block, and those after the end of options, do not count.
TEST(options_that_do_not_fit_are_left)
{
	static const struct {
		uint16_t length; // that the option claims; it has one byte
		bool after_end;
		uint64_t units;
	} cases[] = {{1, false, 1000000000},
		     {4, false, 1000000000},
		     {5, false, 1000000},
		     {0, false, 1000000},
		     {1, true, 1000000}};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct blocks b = {0};
		struct trace t = {0};
		put_section(&b);
		size_t from = begin_interface(&b, 1);
		if (cases[i].after_end)
			put_option(&b, 0, "", 0);
		put(&b, 9, 2);
		put(&b, cases[i].length, 2);
		put(&b, 9, 4);
		end(&b, from);
		put_plain_packet(&b, 60, 60);
		assert_int_equal(load_capture(&t, b.bytes, b.used), 0);
		assert_int_equal(t.packet[0].time_ns, 7 * (1000000000 / cases[i].units));
		trace_free(&t);
	}
}

TEST(pcapng_is_read)
{
	for (int swapped = 0; swapped < 2; swapped++) {
		struct blocks b = {.swapped = swapped};
		struct trace t = {0};
		put_section(&b);
		put_interface(&b, 1, "s1-0.d0", 9);
		put_interface(&b, 1, "eth1", 6);
		put_packet(&b, 0, 5000000007, 1, "");
		put_packet(&b, 1, 5000008, 2, "");
		put_packet(&b, 0, 5000000009, 1, "dropped: queue_full, queue 3");
		put_section(&b); // begins again with its interfaces
		put_interface(&b, 1, "s12-3.u1", 0x80 | 10);
		put_packet(&b, 0, 5 * 1024 + 512, 2, "");
		assert_int_equal(load_capture(&t, b.bytes, b.used), 0);
		assert_int_equal(t.count, 4);
		assert_int_equal(t.packet[0].time_ns, 5000000007);
		assert_int_equal(t.packet[1].time_ns, 5000008000);
		assert_int_equal(t.packet[3].time_ns, 5500000000);
		for (size_t i = 0; i < 4; i++) {
			assert_int_equal(t.packet[i].size, 100);
			assert_int_equal(t.packet[i].captured, 62);
			assert_int_equal(t.packet[i].cut, TRACE_CUT);
			assert_int_equal(t.packet[i].at_switch, i != 1);
			for (size_t k = 0; k < i; k++)
				assert_int_not_equal(t.packet[i].place, t.packet[k].place);
		}
		trace_free(&t);
	}
}

// An interface may announce the FCS of all frames, or a packet its own.
TEST(pcapng_announces_check_sequences)
{
	for (int swapped = 0; swapped < 2; swapped++) {
		struct blocks b = {.swapped = swapped};
		struct trace t = {0};
		put_section(&b);
		size_t from = begin_interface(&b, 1);
		put_option(&b, 13, "\4", 1);
		end(&b, from);
		put_interface(&b, 1, "eth1", 6);
		put_packet(&b, 0, 1, 1, "");
		put_packet(&b, 1, 2, 1 | 4 << 5, "");
		put_packet(&b, 1, 3, 1, "");
		assert_int_equal(load_capture(&t, b.bytes, b.used), 0);
		assert_int_equal(t.fcs, 2);
		assert_int_equal(t.packet[0].size, 96);
		assert_int_equal(t.packet[1].size, 96);
		assert_int_equal(t.packet[2].size, 100);
		trace_free(&t);
	}
}

TEST(pcapng_with_mistakes)
{
	struct blocks b = {0};
	struct trace t = {0};
	put_section(&b);
	put_interface(&b, 113, "any", 6);
	put_interface(&b, 1, "eth0", 6);
	put_packet(&b, 1, 1, 0, "");
	// An interface without packets is accepted.
	assert_int_equal(load_capture(&t, b.bytes, b.used), 0);
	put_packet(&b, 0, 1, 0, "");
	assert_int_equal(load_capture(&t, b.bytes, b.used), -EINVAL);
	assert_non_null(strstr(drb_msg_last(), "link type LINUX_SLL (113)"));
	b.used = 0;
	put_section(&b);
	put_interface(&b, 1, "eth0", 6);
	put_packet(&b, 0, 1, 0, "");
	size_t whole = b.used;
	put_packet(&b, 3, 1, 0, ""); // of no interface
	trace_free(&t);
	assert_int_equal(load_capture(&t, b.bytes, b.used), 0);
	assert_non_null(
		strstr(drb_msg_last(), "packet 2 is damaged: only packets before it are used"));
	assert_int_equal(t.count, 1);
	b.used = whole;
	end(&b, begin(&b, 3)); // of a form without a time
	assert_int_equal(load_capture(&t, b.bytes, b.used), -EINVAL);
	assert_non_null(strstr(drb_msg_last(), "packet 2 has an obsolete form"));
	trace_free(&t);
	b.bytes[whole - 1] = 0xff; // lengths behind blocks do not matter
	assert_int_equal(load_capture(&t, b.bytes, whole), 0);
	assert_int_equal(t.count, 1);
	trace_free(&t);
}

TEST_MAIN(NULL, NULL)
