// SPDX-License-Identifier: BSD-3-Clause
// When drbgen replay says that its latencies are not quite those of the load.
#include "fixtures/unit.h"

#include <unistd.h>

#include "gen/replay/report.h"

// What a report of these prints; to be freed.
static char *printed(uint64_t late, const struct late_sum *switches, enum drb_format format)
{
	const struct report r = {.slot_ns = 1000, .late = late, .switches = switches};
	FILE *file = tmpfile();
	char *text = calloc(1, 65536);

	assert_non_null(file);
	assert_non_null(text);
	fflush(stdout);
	int kept = dup(STDOUT_FILENO);
	assert_true(dup2(fileno(file), STDOUT_FILENO) >= 0);
	report_measured(&r, format);
	fflush(stdout);
	assert_true(dup2(kept, STDOUT_FILENO) >= 0);
	close(kept);
	rewind(file);
	assert_true(fread(text, 1, 65535, file) > 0);
	fclose(file);
	return text;
}

static void json_has(uint64_t late, struct late_sum switches, const char *expected)
{
	char *text = printed(late, &switches, DRB_FORMAT_JSON);

	if (!strstr(text, expected))
		fail_msg("no %s in %s", expected, text);
	free(text);
}

TEST(late_tells_of_the_generator_and_of_switches)
{
	json_has(0, (struct late_sum){.switches = 0}, "\"late\":false");
	json_has(3, (struct late_sum){.switches = 0}, "\"late\":true");
	json_has(0, (struct late_sum){.switches = 1, .slots = 7}, "\"late\":true");
	json_has(0, (struct late_sum){.switches = 1, .lost_ns = 2000000}, "\"late\":true");
	json_has(0, (struct late_sum){.switches = 1, .lost_ns = 2000000}, "\"late_packets\":0");
	json_has(0, (struct late_sum){.switches = 1, .lost_ns = 2000000},
		 "\"lost_credit_ns\":2000000");
}

TEST(tables_have_what_switches_lost)
{
	const struct late_sum late = {.switches = 2, .slots = 7, .lost_ns = 2500000};
	char *text = printed(0, &late, DRB_FORMAT_TABLE);
	const char *row = strstr(text, "link time lost ms\n");
	unsigned switches = 0, slots = 0;
	double lost = 0;

	if (!row ||
	    sscanf(row + strlen("link time lost ms\n"), "%u %u %lf", &switches, &slots, &lost) != 3)
		fail_msg("no line of switches in %s", text);
	assert_int_equal(switches, 2);
	assert_int_equal(slots, 7);
	assert_true(lost == 2.5);
	free(text);
}

TEST_MAIN(NULL, NULL)
