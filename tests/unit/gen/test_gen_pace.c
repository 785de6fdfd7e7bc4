// SPDX-License-Identifier: BSD-3-Clause
// Pauses of captures: shortened, and named where nobody would wait for them.
#include "fixtures/unit.h"

#include "common/cli/log.h"
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

TEST_MAIN(NULL, NULL)
