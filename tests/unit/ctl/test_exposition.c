// SPDX-License-Identifier: BSD-3-Clause
// Metrics as text, from made-up replies: the form that monitoring systems require, and the values
// of the series. No text of a switch can add a line or a label.
#include "fixtures/unit.h"

#include "ctl/metrics/exposition.h"

#define HOSTILE "a\"} 1\nb\\\""
#define ESCAPED "a\\\"} 1\\nb\\\\\\\""

// A switch that replied, with two ports, and one that did not.
static struct metrics_switch switches[2];
static struct drb_switch_port ports[2];
static char *text;

static void write_metrics(void)
{
	const struct metrics_poll poll = {.switches = switches, .count = 2};
	size_t size;

	free(text);
	FILE *out = open_memstream(&text, &size);
	assert_non_null(out);
	assert_true(metrics_write(out, &poll));
	fclose(out);
}

static int begin(void **state)
{
	struct drb_switch_all *all = &switches[0].all;

	(void)state;
	memset(switches, 0, sizeof(switches));
	memset(ports, 0, sizeof(ports));
	switches[0] = (struct metrics_switch){.fabric = "drb", .name = "s1-0", .layer = 1};
	switches[1] = (struct metrics_switch){.fabric = "drb",
					      .name = "s1-1",
					      .layer = 1,
					      .error = -ETIMEDOUT,
					      .state = CTL_STATE_hung};
	all->info.uptime_ns = 1500000007;
	all->routing.count.up_default = 41;
	all->routing.count.up_redirected = 1;
	strcpy(all->info.version, "0.1.0");
	strcpy(all->info.code, "(0,0)");
	strcpy(all->routing.scheme, HOSTILE);
	strcpy(all->routing.unit, "packet");
	strcpy(all->routing.threshold, "2.5");
	strcpy(all->routing.utilisation, "nan");
	all->drops.reason[DRB_DROP_no_route] = 6;
	all->port_count = 2;
	all->ports = ports;
	for (uint32_t k = 0; k < 2; k++) {
		snprintf(ports[k].name, sizeof(ports[k].name), "u%u", k);
		strcpy(ports[k].peer, "s2-0.d0");
		strcpy(ports[k].driver, "memif");
		strcpy(ports[k].state, "up");
		ports[k].count.in_packets = 10 + k;
		ports[k].count.out_octets = UINT64_MAX - k;
		ports[k].count.queue_packets = 7 + k;
		ports[k].count.ring_packets = 9 + k;
	}
	return 0;
}

static int end(void **state)
{
	(void)state;
	free(text);
	text = NULL;
	return 0;
}

static bool has_line(const char *line)
{
	char with_ends[512];

	snprintf(with_ends, sizeof(with_ends), "\n%s\n", line);
	return strstr(text, with_ends);
}

#define OF_SWITCH "fabric=\"drb\",switch=\"s1-0\",layer=\"1\""

TEST_WITH(values_and_units, begin, end)
{
	write_metrics();
	assert_true(has_line("drb_up{" OF_SWITCH "} 1"));
	assert_true(has_line("drb_uptime_seconds{" OF_SWITCH "} 1.500000007"));
	assert_true(has_line("drb_threshold_packets{" OF_SWITCH "} 2.5"));
	assert_true(has_line("drb_routing_up_default_total{" OF_SWITCH "} 41"));
	assert_true(has_line("drb_drops_total{" OF_SWITCH ",reason=\"no_route\"} 6"));
#define OF_PORT OF_SWITCH ",port=\"u1\",peer=\"s2-0.d0\""
	assert_true(has_line("drb_port_in_packets_total{" OF_PORT "} 11"));
	assert_true(has_line("drb_port_out_bytes_total{" OF_PORT "} 18446744073709551614"));
	assert_true(has_line("drb_port_queue_packets{" OF_PORT "} 8"));
	assert_true(has_line("# TYPE drb_port_ring_packets gauge"));
	assert_true(has_line("drb_port_ring_packets{" OF_PORT "} 10"));
	// The value is not a number: the family is announced, without a series.
	assert_true(strstr(text, "# TYPE drb_uplink_utilisation_ratio gauge\n"));
	assert_null(strstr(text, "\ndrb_uplink_utilisation_ratio{"));
}

TEST_WITH(silent_switches_are_down, begin, end)
{
	write_metrics();
	const char *line = strstr(text, "switch=\"s1-1\"");
	assert_non_null(line);
	assert_true(has_line("drb_up{fabric=\"drb\",switch=\"s1-1\",layer=\"1\"} 0"));
	assert_true(has_line("drb_stuck{fabric=\"drb\",switch=\"s1-1\",layer=\"1\"} 0"));
	line = strstr(line + 1, "switch=\"s1-1\"");
	assert_true(has_line("drb_switch_state{fabric=\"drb\",switch=\"s1-1\",layer=\"1\",state="
			     "\"hung\"} 1"));
	line = strstr(line + 1, "switch=\"s1-1\"");
	assert_null(strstr(line + 1, "switch=\"s1-1\""));
	switches[1].error = -EIO;
	write_metrics();
	assert_true(has_line("drb_stuck{fabric=\"drb\",switch=\"s1-1\",layer=\"1\"} 1"));
}

TEST_WITH(texts_stay_in_their_label, begin, end)
{
	write_metrics();
	assert_non_null(strstr(text, ",scheme=\"" ESCAPED "\",unit=\"packet\"} 1\n"));
	for (const char *line = text; *line; line = strchr(line, '\n') + 1)
		assert_true(strncmp(line, "drb_", 4) == 0 || strncmp(line, "# ", 2) == 0);
	// The longest text of a reply.
	memset(switches[0].all.info.code, '"', sizeof(switches[0].all.info.code) - 1);
	write_metrics();
	assert_non_null(strstr(text, "\\\"\",scheme="));
}

// Each family is announced once, before its series, which are adjacent and all different.
TEST_WITH(families_stand_together, begin, end)
{
	char family[128] = "", kind[16] = "", said[128];
	const char *line, *next;

	strcpy(switches[0].all.routing.scheme, "drb");
	write_metrics();
	for (line = text; *line; line = next) {
		next = strchr(line, '\n') + 1;
		if (strncmp(line, "# HELP ", 7) == 0) {
			assert_int_equal(sscanf(line, "# HELP %127s", family), 1);
			snprintf(said, sizeof(said), "# HELP %s ", family);
			assert_null(strstr(next, said));
			assert_int_equal(sscanf(next, "# TYPE %127s %15s", said, kind), 2);
			assert_string_equal(said, family);
			bool total = strcmp(kind, "counter") == 0;
			size_t length = strlen(family);
			assert_int_equal(length > 6 && !strcmp(family + length - 6, "_total"),
					 total);
			next = strchr(next, '\n') + 1;
		} else {
			size_t series = strcspn(line, "} ") + 1;
			assert_int_equal(strncmp(line, family, strlen(family)), 0);
			assert_non_null(memchr(line, '{', (size_t)(next - line)));
			for (const char *other = next; *other && *other != '#';
			     other = strchr(other, '\n') + 1)
				assert_int_not_equal(strncmp(line, other, series), 0);
		}
	}
}

TEST_WITH(buckets_add_up, begin, end)
{
	uint64_t *count = switches[0].all.differences.count, all = 0;
	char want[256];

	for (int i = 0; i < DRB_DIFFERENCES; i++)
		all += count[i] = (uint64_t)i + 1;
	write_metrics();
	for (int limit = -32; limit <= 16; limit = limit < -1  ? limit / 2
						   : limit < 1 ? limit + 1
							       : 2 * limit) {
		uint64_t sum = 0;
		for (int d = -DRB_DIFFERENCE_MAX; d <= limit; d++)
			sum += count[d + DRB_DIFFERENCE_MAX];
		snprintf(want, sizeof(want),
			 "drb_decision_difference_packets_bucket{" OF_SWITCH
			 ",le=\"%d.0\"} %" PRIu64,
			 limit, sum);
		assert_true(has_line(want));
	}
	snprintf(want, sizeof(want),
		 "drb_decision_difference_packets_bucket{" OF_SWITCH ",le=\"+Inf\"} %" PRIu64, all);
	assert_true(has_line(want));
}

TEST_MAIN(NULL, NULL)
