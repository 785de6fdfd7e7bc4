// SPDX-License-Identifier: BSD-3-Clause
// Reading captures, merging them, and the times at which their packets are sent.
#include "fixtures/capture_file.h"
#include "fixtures/unit.h"

#include <unistd.h>

#include "common/cli/log.h"
#include "core/fabric/addresses.h"
#include "core/math/random.h"

#include "gen/replay/schedule.h"
#include "gen/captures/trace.h"

TEST(merged_packets_are_in_order)
{
	struct drb_rng rng = drb_rng_seed(3, 0);
	struct trace t = {0};
	for (uint32_t i = 0; i < 5000; i++) {
		uint8_t data[100] = {(uint8_t)i};
		struct trace_packet *p =
			trace_add(&t, 1000 + drb_rng_below(&rng, 300), data, 60, 100);
		assert_non_null(p);
		p->key = drb_rng_below(&rng, 3);
		p->number = i;
	}
	trace_merge(&t, 1000);
	assert_int_equal(t.count, 5000);
	for (size_t i = 0; i < t.count; i++) {
		const struct trace_packet *a = &t.packet[i], *b = a + 1;
		assert_true(a->time_ns >= 0 && a->time_ns < 300);
		assert_int_equal(a->frame[0], (uint8_t)a->number);
		assert_int_equal(a->frame[99], 0);
		assert_int_equal(a->host, DRB_NO_LABEL);
		if (i + 1 == t.count)
			break;
		assert_true(a->time_ns < b->time_ns ||
			    (a->time_ns == b->time_ns &&
			     (a->key < b->key || (a->key == b->key && a->number < b->number))));
	}
	trace_free(&t);
}

static struct trace times(const int64_t *ns, size_t count)
{
	struct trace t = {0};

	for (size_t i = 0; i < count; i++)
		assert_non_null(trace_add(&t, ns[i], (const uint8_t *)"", 0, 60));
	trace_merge(&t, ns[0]);
	return t;
}

TEST(schedules_keep_times_and_rates)
{
	static const int64_t ns[] = {1000, 1100, 1400, 1600};
	struct trace t = times(ns, 4);
	struct schedule s = {.mode = SCHEDULE_TIMES, .multiplier = 1, .loops = 3};
	assert_int_equal(schedule_count(&s, &t), 12);
	assert_int_equal(schedule_time(&s, &t, 0), 0);
	assert_int_equal(schedule_time(&s, &t, 2), 400);
	// Mean gap 200: the next loop begins at 800.
	assert_int_equal(schedule_time(&s, &t, 4), 800);
	assert_int_equal(schedule_time(&s, &t, 11), 1600 + 600);
	s.multiplier = 2;
	assert_int_equal(schedule_time(&s, &t, 11), 1100);
	s.multiplier = 0.5;
	assert_int_equal(schedule_time(&s, &t, 11), 4400);
	s.mode = SCHEDULE_RATE;
	s.rate = 1e6;
	assert_int_equal(schedule_time(&s, &t, 11), 11000);
	s.mode = SCHEDULE_TOPSPEED;
	assert_int_equal(schedule_time(&s, &t, 11), 0);
	s.loops = 0;
	assert_true(schedule_count(&s, &t) == UINT64_MAX);
	trace_free(&t);
}

// After days at any rate the time of a packet is off by only a few ns: rounding errors do not
// accumulate.
TEST(long_runs_stay_exact)
{
	static const int64_t ns[] = {0, 333};
	struct trace t = times(ns, 2);
	struct schedule s = {.mode = SCHEDULE_RATE, .rate = 3, .multiplier = 1, .loops = 0};
	uint64_t k = UINT64_C(3) * 86400 * 30;
	assert_in_range(schedule_time(&s, &t, k), k / 3 * 1000000000 - 1, k / 3 * 1000000000 + 1);
	s.mode = SCHEDULE_TIMES;
	k = UINT64_C(1) << 40;
	assert_int_equal(schedule_time(&s, &t, k), k / 2 * 666);
	s.multiplier = 1e-6;
	assert_int_equal(schedule_time(&s, &t, UINT64_MAX - 1), INT64_MAX);
	trace_free(&t);
}

TEST(one_packet_can_be_repeated)
{
	static const int64_t ns[] = {5};
	struct trace t = times(ns, 1);
	struct schedule s = {.mode = SCHEDULE_TIMES, .multiplier = 1, .loops = 10};
	struct trace none = {0};
	assert_int_equal(schedule_time(&s, &t, 9), 0);
	assert_int_equal(schedule_count(&s, &none), 0);
	trace_free(&t);
}

// A little-endian pcap file of two packets, the second one cut by the snap length.
struct pcap_file {
	uint32_t magic;
	uint16_t major, minor;
	uint32_t zone, accuracy, snaplen, type;
	struct record {
		uint32_t seconds, fraction, captured, size;
		uint8_t bytes[64];
	} record[2];
};

static struct pcap_file sample(uint32_t magic)
{
	return (struct pcap_file){
		.magic = magic,
		.major = 2,
		.minor = 4,
		.snaplen = 65535,
		.type = 1,
		.record = {{5, 250, 64, 64, {1}}, {5, 750, 64, 1000, {2}}},
	};
}

TEST(captures_of_both_precisions_are_read)
{
	static const struct {
		uint32_t magic;
		int64_t factor;
	} kinds[] = {{0xa1b2c3d4, 1000}, {0xa1b23c4d, 1}};
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct pcap_file file = sample(kinds[i].magic);
		struct trace t = {0};
		assert_int_equal(load_capture(&t, &file, sizeof(file)), 0);
		assert_int_equal(t.count, 2);
		assert_int_equal(t.packet[0].time_ns, 5000000000 + 250 * kinds[i].factor);
		assert_int_equal(t.packet[0].size, 64);
		assert_int_equal(t.packet[1].number, 2);
		assert_int_equal(t.packet[1].captured, 64);
		assert_int_equal(t.packet[1].size, 1000);
		assert_int_equal(t.packet[1].frame[0], 2);
		assert_int_equal(t.packet[1].frame[999], 0);
		trace_free(&t);
	}
}

// Packets are out of order within their file. Files may overlap, so the order of two says nothing.
TEST(only_files_have_an_order)
{
	struct pcap_file file = sample(0xa1b23c4d);
	struct trace t = {0};
	const int before = dup(0);

	close(before);
	for (int files = 1; files < 4; files++) {
		assert_int_equal(load_capture(&t, &file, sizeof(file)), 0);
		assert_int_equal(t.files, files);
		assert_int_equal(t.disordered, 0);
	}
	file.record[1].fraction = 249;
	assert_int_equal(load_capture(&t, &file, sizeof(file)), 0);
	assert_int_equal(t.disordered, 1);
	trace_free(&t);
	const int after = dup(0); // no file is left open
	close(after);
	assert_int_equal(after, before);
}

TEST(frames_short_of_the_minimum_are_padded)
{
	struct pcap_file file = sample(0xa1b23c4d);
	struct trace t = {0};
	file.record[1].size = 14;
	file.record[0].captured = file.record[0].size = 64;
	assert_int_equal(load_capture(&t, &file, sizeof(file)), 0);
	// A captured length above the size is wrong: the bytes that are present count.
	assert_int_equal(t.packet[1].size, 64);
	trace_free(&t);
	file.record[1].captured = 20;
	assert_int_equal(load_capture(&t, &file, sizeof(file) - 44), 0);
	assert_int_equal(t.packet[1].size, 60);
	trace_free(&t);
}

TEST(huge_packets_take_no_memory)
{
	struct pcap_file file = sample(0xa1b23c4d);
	struct trace t = {0};
	file.record[1].size = 0x7fffffff;
	assert_int_equal(load_capture(&t, &file, sizeof(file)), 0);
	assert_null(t.packet[1].frame);
	assert_int_equal(t.packet[1].size, 0x7fffffff);
	trace_free(&t);
}

// Whole packets are used, wherever the file is cut. Without a whole packet there is no capture.
TEST(whole_packets_of_a_cut_capture_are_used)
{
	struct pcap_file file = sample(0xa1b23c4d);
	for (size_t size = 0; size <= sizeof(file); size += 3) {
		size_t whole = size < 24 ? 0 : (size - 24) / sizeof(struct record);
		struct trace t = {0};
		bool used = whole > 0 || size == 24;
		assert_int_equal(load_capture(&t, &file, size), used ? 0 : -EINVAL);
		assert_int_equal(t.count, whole);
		if (used && size != 24 + whole * sizeof(struct record))
			assert_non_null(strstr(drb_msg_last(), "ends in the middle of packet"));
		trace_free(&t);
	}
}

// The FCS is removed, whatever the unit of its length in the header. In a snapped frame only its
// position is known.
TEST(frame_check_sequences_are_taken_off)
{
	static const uint32_t types[] = {1, 1 | 1 << 26 | 2U << 28, 1 | 1 << 26 | 4U << 28,
					 1 | 4U << 28};
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		struct pcap_file file = sample(0xa1b23c4d);
		const bool fcs = i == 1 || i == 2;
		struct trace t = {0};
		file.type = types[i];
		file.record[1].size = 66; // two bytes of the FCS were captured
		assert_int_equal(load_capture(&t, &file, sizeof(file)), 0);
		assert_int_equal(t.fcs, fcs ? 2 : 0);
		assert_int_equal(t.packet[0].size, fcs ? 60 : 64);
		assert_int_equal(t.packet[0].captured, fcs ? 60 : 64);
		assert_int_equal(t.packet[1].size, fcs ? 62 : 66);
		assert_int_equal(t.packet[1].captured, fcs ? 62 : 64);
		assert_int_equal(t.packet[1].cut, fcs ? TRACE_WHOLE : TRACE_CUT);
		trace_free(&t);
	}
}

TEST(joined_captures_are_told_apart)
{
	struct pcap_file files[2] = {sample(0xa1b23c4d), sample(0xa1b2c3d4)};
	struct trace t = {0};
	assert_int_equal(load_capture(&t, files, sizeof(files)), 0);
	assert_int_equal(t.count, 2);
	assert_non_null(strstr(drb_msg_last(), "another capture begins behind packet 2"));
	trace_free(&t);
}

TEST(broken_captures_are_refused)
{
	static const struct {
		const char *bytes, *says;
	} cases[] = {
		{"no capture at all", ": no capture: neither pcap nor pcapng"},
		{"", ": is empty"},
		{"\x28\xb5\x2f\xfd zstd", "compressed, but not by gzip, decompress it"},
		{"\x34\xcd\xb2\xa1 modified", "editcap -F pcap FILE NEW"},
		{"\xa1\xb2\xcd\x34 modified", "editcap -F pcap FILE NEW"},
	};
	struct trace t = {0};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(load_capture(&t, cases[i].bytes, strlen(cases[i].bytes)), -EINVAL);
		assert_non_null(strstr(drb_msg_last(), cases[i].says));
	}
	struct pcap_file file = sample(0xa1b23c4d);
	file.type = 101;
	assert_int_equal(load_capture(&t, &file, sizeof(file)), -EINVAL);
	assert_non_null(strstr(drb_msg_last(), ": link type RAW (101): only Ethernet"));
	file = sample(0xa1b23c4d);
	file.record[1].seconds = UINT32_MAX;
	assert_int_equal(load_capture(&t, &file, sizeof(file)), -EINVAL);
	assert_non_null(strstr(drb_msg_last(), ": packet 2: its time stamp is out of range"));
	file = sample(0xa1b23c4d);
	file.record[0].fraction = 1000000000;
	assert_int_equal(load_capture(&t, &file, sizeof(file)), -EINVAL);
	assert_non_null(strstr(drb_msg_last(), ": packet 1 is damaged"));
	assert_int_equal(trace_load(&t, "/nowhere/at.all", false), -EINVAL);
	assert_int_equal(trace_load(&t, "/tmp", false), -EINVAL);
	assert_non_null(strstr(drb_msg_last(), "/tmp: Is a directory"));
	trace_free(&t);
}

TEST_MAIN(NULL, NULL)
