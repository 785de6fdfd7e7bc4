// SPDX-License-Identifier: BSD-3-Clause
// Captures at hosts: each frame is taken, or counted as dropped because the socket's ring was full.
#include "fixtures/unit.h"

#include "fixtures/veth.h"
#include "gen/sinks/sink.h"

#define HOSTS 2
#define FRAMES 3000
#define SIZE 300

static uint64_t taken[HOSTS];

static void take(void *context, const struct arrival *a)
{
	(void)context;
	taken[a->host] += a->size == SIZE;
}

static uint64_t count_taken(const void *context)
{
	(void)context;
	return taken[0] + taken[1];
}

static void no_result(void *context, struct tally *tally, struct drb_latency *latency)
{
	(void)context, (void)latency;
	*tally = (struct tally){0};
}

// This many frames arrive before the capture is read, at two hosts, whose captures share an
// interface here. A third host is on another machine, so nothing is attached to it.
static void capture(uint32_t frames, struct tally *tally, uint64_t dropped[HOSTS])
{
	const struct sink_pcap_setup setup = {
		HOSTS + 1, "inner", "ether proto 0x1234",
		SIZE,      1 << 16, {NULL, take, count_taken, no_result}};
	struct sink *sink = sink_pcap_new(&setup);
	uint8_t frame[SIZE] = {2, [12] = 0x12, 0x34};
	struct drb_latency latency;

	assert_non_null(sink);
	memset(taken, 0, sizeof(taken));
	for (uint32_t h = 0; h < HOSTS; h++)
		assert_int_equal(sink->ops->attach(sink, h), 0);
	for (uint32_t n = 0; n < frames; n++)
		assert_int_equal(send(outer, frame, sizeof(frame), 0), sizeof(frame));
	assert_int_equal(sink->ops->start(sink), 0);
	assert_int_equal(sink->ops->stop(sink), 0);
	assert_int_equal(sink->ops->delivered(sink), count_taken(NULL));
	sink->ops->result(sink, tally, &latency);
	for (uint32_t h = 0; h < HOSTS; h++)
		dropped[h] = sink->ops->dropped(sink, h);
	assert_int_equal(sink->ops->dropped(sink, HOSTS), 0);
	sink->ops->destroy(sink);
}

TEST(what_finds_no_room_is_counted)
{
	static const uint32_t counts[] = {10, FRAMES};

	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		uint64_t dropped[HOSTS];
		struct tally tally;
		capture(counts[i], &tally, dropped);
		for (uint32_t h = 0; h < HOSTS; h++) {
			assert_true(taken[h] > 0 && (dropped[h] > 0) == (counts[i] == FRAMES));
			assert_int_equal(taken[h] + dropped[h], counts[i]);
		}
		assert_int_equal(tally.receiver_dropped, dropped[0] + dropped[1]);
	}
}

TEST_MAIN_VETH(NULL, NULL)
