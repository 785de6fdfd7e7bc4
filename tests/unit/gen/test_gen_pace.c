// SPDX-License-Identifier: BSD-3-Clause
// Pauses of captures are shortened, and named where they would be very long.
#include "fixtures/unit.h"

#include <math.h>

#include "common/cli/log.h"
#include "core/math/random.h"
#include "core/packet/wire.h"
#include "gen/replay/pace.h"

#define SECOND INT64_C(1000000000)

static struct trace trace_of(const int64_t *seconds, uint32_t count)
{
	struct trace t = {0};

	for (uint32_t i = 0; i < count; i++) {
		struct trace_packet *p =
			trace_add(&t, seconds[i] * SECOND, (const uint8_t *)"", 0, 60);
		assert_non_null(p);
		p->number = i + 1;
		p->file = i > 3;
	}
	trace_merge(&t, 0);
	return t;
}

TEST(pauses_are_shortened)
{
	static const int64_t before[] = {0, 1, 86401, 86402, 90000, 90000},
			     after[] = {0, 1, 3, 4, 6, 6};
	struct trace t = trace_of(before, 6);

	pace_shorten(&t, 2 * SECOND);
	for (uint32_t i = 0; i < 6; i++)
		assert_int_equal(t.packet[i].time_ns, after[i] * SECOND);
	trace_free(&t);
}

TEST(long_pauses_are_named)
{
	static const int64_t seconds[] = {0, 1, 86401, 86402, 90000, 90119};
	static char one[] = "one.pcap", other[] = "-";
	char *const paths[] = {one, other};
	struct trace t = trace_of(seconds, 6);
	struct schedule s = {.mode = SCHEDULE_TIMES, .multiplier = 1};

	drb_info("nothing");
	s.multiplier = 1000; // 86 s
	pace_warn(&s, &t, paths);
	s.mode = SCHEDULE_RATE;
	pace_warn(&s, &t, paths);
	assert_string_equal(drb_msg_last(), "nothing");
	s = (struct schedule){.mode = SCHEDULE_TIMES, .multiplier = 1};
	pace_warn(&s, &t, paths);
	assert_non_null(strstr(drb_msg_last(),
			       "one.pcap: packet 3 comes 24 h 0 min after the one before it, the "
			       "longest of 2 pauses of minutes: --max-gap 1s"));
	t.packet[1].time_ns = t.packet[2].time_ns = 0;
	t.packet[3].time_ns = 0;
	pace_warn(&s, &t, paths);
	assert_non_null(strstr(drb_msg_last(), "standard input: packet 5 comes 25 h 0 min after"));
	trace_free(&t);
}

// Compares with a second model, in which each host's link sends its packets in order, one at a
// time, and none before its time.
TEST(bursts_wait_for_their_link)
{
	struct drb_rng rng = drb_rng_seed(7, 0);
	const struct schedule s = {.mode = SCHEDULE_TIMES, .multiplier = 2};
	struct host_link link[3] = {{0}, {.packet_ns = 1000}, {.octet_ns = 8, .overhead = 24}};
	struct trace t = {0};
	double sent_ns[300] = {0}, free_ns[3] = {0};

	for (uint32_t i = 0; i < 300; i++) {
		uint32_t size = 60 + drb_rng_below(&rng, 100);
		struct trace_packet *p =
			trace_add(&t, 200 * (i + i % 7), (const uint8_t *)"", 0, size);
		p->number = i;
		p->host = drb_rng_below(&rng, 3);
	}
	trace_merge(&t, 0);
	for (size_t i = 0; i < t.count; i++) {
		const struct trace_packet *p = &t.packet[i];
		double at = fmax((double)p->time_ns / 2, free_ns[p->host]);
		sent_ns[p->number] = at;
		free_ns[p->host] = at + (p->host == 0   ? 0
					 : p->host == 1 ? 1000
							: 8.0 * (p->size + 24));
	}
	assert_int_equal(pace_by_links(&s, &t, link, 3), 0);
	assert_non_null(strstr(drb_msg_last(),
			       "packets are in bursts beyond the rate of their host's link"));
	for (size_t i = 0; i < t.count; i++) {
		assert_true(fabs((double)t.packet[i].time_ns / 2 - sent_ns[t.packet[i].number]) <
			    2);
		assert_true(i == 0 || t.packet[i].time_ns >= t.packet[i - 1].time_ns);
	}
	trace_free(&t);
}

// The busiest link is that of host 2, which receives the packets of both other hosts. Each frame
// takes 84 bytes of it.
TEST(load_is_that_of_the_busiest_link)
{
	const struct drb_addr_plan plan = drb_addr_default(4);
	const struct host_link link[4] = {{.octet_ns = 8, .overhead = 24},
					  {.octet_ns = 8, .overhead = 24},
					  {.octet_ns = 8, .overhead = 24},
					  {.octet_ns = 8, .overhead = 24}};
	uint8_t frame[DRB_ETHER_HEADER] = {0};
	struct schedule s = {0};
	struct trace t = {0};

	drb_addr_mac(&plan, 2, frame);
	for (uint32_t i = 0; i < 10; i++)
		trace_add(&t, 2000 * i, frame, sizeof(frame), 60)->host = i % 2;
	trace_merge(&t, 0);
	assert_int_equal(pace_load(&s, &t, &plan, link, 0.5), 0);
	assert_int_equal(s.mode, SCHEDULE_TIMES);
	assert_true(fabs(s.multiplier - 0.5 / (10 * 84 * 8 / 20000.0)) < 1e-9);
	trace_free(&t);
}

TEST_MAIN(NULL, NULL)
