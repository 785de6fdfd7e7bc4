// SPDX-License-Identifier: BSD-3-Clause
// drbgen replay reports when its figures do not come from the load alone.
#include "fixtures/unit.h"

#include "gen/replay/report.h"

#define GOOD .slowest = 1

// The printed report. The caller frees it.
static char *printed(uint64_t late, const struct link_report *links, enum drb_format format)
{
	const struct report r = {.slot_ns = 1000,
				 .tally = {.delivered = 1000},
				 .latency = {.mean = 9000},
				 .late = late,
				 .links = links};
	FILE *file = tmpfile();
	char *text = calloc(1, 65536);

	assert_non_null(file);
	assert_non_null(text);
	report_measured(&r, file, format);
	rewind(file);
	assert_true(fread(text, 1, 65535, file) > 0);
	fclose(file);
	return text;
}

static void json_has(uint64_t late, struct link_report links, const char *expected)
{
	char *text = printed(late, &links, DRB_FORMAT_JSON);

	if (!strstr(text, expected))
		fail_msg("no %s in %s", expected, text);
	free(text);
}

TEST(late_tells_of_the_generator_and_of_links)
{
	json_has(0, (struct link_report){GOOD}, "\"late\":false");
	json_has(3, (struct link_report){GOOD}, "\"late\":true");
	json_has(0, (struct link_report){.slowest = 0.98}, "\"late\":true");
	json_has(0, (struct link_report){GOOD, .machine_lost = 1}, "\"late\":true");
	// The latency is 10 us a packet: a mean of 9 us, and a slot.
	json_has(0, (struct link_report){GOOD, .machine_late_ns = 499e3}, "\"late\":false");
	json_has(0, (struct link_report){GOOD, .machine_late_ns = 501e3}, "\"late\":true");
	json_has(0, (struct link_report){GOOD, .machine_late_ns = 501e3},
		 "\"machine_late_us\":0.501");
	json_has(0, (struct link_report){GOOD, .growing = DRB_GROWTH_UNCLEAR},
		 "\"growing\":\"unclear\"");
}

TEST(tables_have_what_the_machine_took)
{
	const struct link_report links = {.late_switches = 2, .slowest = 0.75, .machine_lost = 31};
	char *text = printed(0, &links, DRB_FORMAT_TABLE);
	const char *row = strstr(text, "queues grow\n");
	unsigned switches = 0, lost = 0;
	double slowest = 0;

	if (!row ||
	    sscanf(row + strlen("queues grow\n"), "%u %lf %u", &switches, &slowest, &lost) != 3)
		fail_msg("no line of links in %s", text);
	assert_int_equal(switches, 2);
	assert_int_equal(lost, 31);
	assert_true(slowest == 75);
	free(text);
}

TEST_MAIN(NULL, NULL)
