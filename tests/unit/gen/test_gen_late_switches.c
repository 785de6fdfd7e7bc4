// SPDX-License-Identifier: BSD-3-Clause
// What drbgen replay says of switches that were late. tests/live/traffic/replay.sh has such switches.
#include "fixtures/unit.h"

#include "common/cli/log.h"
#include "gen/replay/late_switches.h"

#define CURE                                                                                       \
	": latencies are not quite those of this load; use links of a lower --rate, with longer "  \
	"slots, or a less busy machine"

static void says(struct late_sum late, const char *expected)
{
	snprintf(late.worst, sizeof(late.worst), "drb-s1-2");
	late_switches_say(&late);
	assert_string_equal(drb_msg_last(), expected);
}

TEST(nothing_is_said_of_good_ones)
{
	const struct late_sum none = {.switches = 0};

	drb_info("before");
	late_switches_say(&none);
	assert_string_equal(drb_msg_last(), "before");
}

TEST(how_late_they_were_is_said)
{
	says((struct late_sum){.switches = 1, .lost_ns = 2150000},
	     "drb-s1-2 woke too late for its links, as when CPUs are busy: 2.1 ms of link time "
	     "were lost" CURE);
	says((struct late_sum){.switches = 2, .slots = 7},
	     "drb-s1-2 and 1 more switch woke too late for their links, as when CPUs are busy: 7 "
	     "packets left a slot or more late" CURE);
	says((struct late_sum){.switches = 20, .slots = 7, .lost_ns = UINT64_C(2120000000)},
	     "drb-s1-2 and 19 more switches woke too late for their links, as when CPUs are busy: "
	     "7 packets left a slot or more late, 2120.0 ms of link time were lost" CURE);
}

TEST(without_switches_there_is_nothing)
{
	struct late_counts counts = late_switches_begin("nobody-is-called-so");

	assert_int_equal(counts.count, 0);
	const struct late_sum sum = late_switches_end(&counts, "nobody-is-called-so");
	assert_int_equal(sum.switches, 0);
	assert_null(counts.at);
}

TEST_MAIN(NULL, NULL)
