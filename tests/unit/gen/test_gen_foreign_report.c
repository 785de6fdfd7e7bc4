// SPDX-License-Identifier: BSD-3-Clause
// The report of drbgen replay for captures that drbgen did not write.
#include "fixtures/unit.h"

#include "gen/replay/foreign_report.h"

#define SOUND .slowest = 1

// Hosts h0 and h2 had traffic; h1 had none.
static struct recognised by_host[3];
static struct replay_result run;
static struct foreign_traffic traffic;
static char *text;

// Everything arrived.
static int begin(__attribute__((unused)) void **state)
{
	memset(by_host, 0, sizeof(by_host));
	by_host[0] = (struct recognised){.sent = 30, .expected = 12, .received = 12};
	by_host[2] = (struct recognised){.sent = 12, .expected = 30, .received = 30};
	run = (struct replay_result){.sent = 42,
				     .tally = {.received = 40},
				     .latency = {40, 1500, 1000, 2000, 3000, 4500, 0},
				     .late_max_ns = 2500,
				     .sending_ns = 2e9,
				     .links = {SOUND}};
	traffic = (struct foreign_traffic){.skipped = {.multicast = 3, .tags = 4}};
	return 0;
}

static int end(__attribute__((unused)) void **state)
{
	free(text);
	text = NULL;
	return 0;
}

// Prints the report into `text`, and returns whether all went well.
static bool print(enum drb_format format)
{
	size_t size;
	FILE *out = open_memstream(&text, &size);
	const struct foreign_report report = {.hosts = 3,
					      .by_host = by_host,
					      .traffic = &traffic,
					      .cut = 5,
					      .busiest = "s1-0.u0 leads\n",
					      .run = &run,
					      .out = out};

	const bool sound = foreign_report_print(&report, format);
	fclose(out);
	return sound;
}

static void has(const char *part)
{
	if (!strstr(text, part))
		fail_msg("no %s in %s", part, text);
}

TEST_WITH(each_host_has_a_row_and_all_have_one, begin, end)
{
	by_host[2].strangers = 2;
	assert_true(print(DRB_FORMAT_JSON));
	has("{\"host\":\"h0\",\"sent\":30,\"received\":12,\"lost\":0,\"duplicated\":0,"
	    "\"misdelivered\":0,\"others\":0,\"receiver_dropped\":0,\"not_sent\":null,"
	    "\"skipped\":null,\"cut\":null,\"seconds\":null,");
	has("{\"host\":\"h1\",\"sent\":0,");
	has("{\"host\":\"all\",\"sent\":42,\"received\":42,\"lost\":0,\"duplicated\":0,"
	    "\"misdelivered\":0,\"others\":2,\"receiver_dropped\":0,\"not_sent\":0,"
	    "\"skipped\":7,\"cut\":5,\"seconds\":2.0,\"pps\":21.0,\"late_max_us\":2.5,"
	    "\"late\":false,\"latency_samples\":40,\"latency_mean_us\":1.5,"
	    "\"latency_p50_us\":1.0,\"latency_p99_us\":2.0,\"latency_p999_us\":3.0,"
	    "\"latency_max_us\":4.5}");
}

TEST_WITH(tables_have_latencies_and_busy_links_but_no_silent_hosts, begin, end)
{
	assert_true(print(DRB_FORMAT_TABLE));
	has("\nh0 ");
	has("\nh2 ");
	assert_null(strstr(text, "\nh1 "));
	has("Latency of the 40 packets that are unlike all others under way (of 42 received):\n");
	has("\n99.9 %   3.0\n");
	has("The busiest links (--links FILE has all):\ns1-0.u0 leads\n");
}

TEST_WITH(without_samples_there_are_no_latencies, begin, end)
{
	run.latency = drb_latency_of(NULL, 0);
	assert_true(print(DRB_FORMAT_TABLE));
	assert_null(strstr(text, "Latency of"));
	end(NULL);
	assert_true(print(DRB_FORMAT_JSON));
	has("\"latency_samples\":0,\"latency_mean_us\":null,");
}

// Packets that the receiver dropped have arrived: the fabric has not lost them.
TEST_WITH(receivers_drops_are_not_the_fabrics_losses, begin, end)
{
	by_host[2].missing = 5;
	by_host[2].receiver_dropped = 2;
	by_host[0].missing = 1;
	by_host[0].receiver_dropped = 3;
	assert_false(print(DRB_FORMAT_JSON));
	has("\"host\":\"h0\",\"sent\":30,\"received\":12,\"lost\":0,");
	has("\"host\":\"h2\",\"sent\":12,\"received\":30,\"lost\":3,");
	has("\"host\":\"all\",\"sent\":42,\"received\":42,\"lost\":3,\"duplicated\":0,"
	    "\"misdelivered\":0,\"others\":0,\"receiver_dropped\":5,");
}

TEST_WITH(each_flaw_fails_the_replay, begin, end)
{
	uint64_t *const flaws[] = {&by_host[0].missing, &by_host[2].duplicated,
				   &by_host[0].misdelivered, &by_host[2].receiver_dropped,
				   &run.failed};

	for (size_t i = 0; i < ARRAY_SIZE(flaws); i++) {
		begin(NULL);
		*flaws[i] = 1;
		if (print(DRB_FORMAT_CSV))
			fail_msg("flaw %zu is none", i);
		end(NULL);
	}
	// Packets of others, and what the captures do not have, are no flaws.
	begin(NULL);
	by_host[0].strangers = 1;
	assert_true(print(DRB_FORMAT_CSV));
}

TEST_WITH(slow_links_are_told, begin, end)
{
	run.links.slowest = 0.5;
	assert_true(print(DRB_FORMAT_JSON));
	has("\"late\":true");
	end(NULL);
	// The 40 packets that arrived took 1.5 us each.
	run.links = (struct link_report){SOUND, .machine_late_ns = 0.05 * 40 * 1500 + 1};
	assert_true(print(DRB_FORMAT_JSON));
	has("\"late\":true");
	end(NULL);
	run.links.machine_late_ns -= 2;
	assert_true(print(DRB_FORMAT_JSON));
	has("\"late\":false");
}

TEST_MAIN(NULL, NULL)
