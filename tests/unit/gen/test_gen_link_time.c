// SPDX-License-Identifier: BSD-3-Clause
// Times of packets on links, by the rates that switches report.
#include "fixtures/telemetry_server.h"
#include "fixtures/all_reply.h"

#include <errno.h>
#include <sys/stat.h>

#include "common/cli/log.h"
#include "gen/replay/link_time.h"

#define SWITCHES 3
#define PORTS 4
#define HOSTS 4

// No other fabric of the machine has this name.
static const char *const names[SWITCHES] = {"linktime-s1-0", "linktime-s1-1", "linktime-s2-0"};

static char runtime[] = "/tmp/drb-test-XXXXXX";
static struct server server[SWITCHES];
static struct script script[SWITCHES];

// The end of a port, as a switch reports it. rate NULL: ports from here on are as in the reply.
struct said {
	const char *name, *peer, *rate;
};

static void folder_of(uint32_t i, char path[96])
{
	snprintf(path, 96, "%s/dpdk/%s", runtime, names[i]);
}

static void begin_switch(uint32_t i, const struct said said[PORTS])
{
	json_t *reply = all_reply(1, PORTS), *all = json_pack("{s:o}", DRB_CMD_ALL, reply);
	char folder[96];

	for (size_t p = 0; p < PORTS && said[p].rate; p++) {
		json_t *port = json_array_get(json_object_get(reply, "ports"), p);
		json_object_set_new(port, "name", json_string(said[p].name));
		json_object_set_new(port, "peer", json_string(said[p].peer));
		json_object_set_new(port, "rate", json_string(said[p].rate));
	}
	json_object_set_new(json_object_get(reply, "info"), "name",
			    json_string(names[i] + strlen("linktime-")));
	script[i] = (struct script){.greeting = GREETING, .replies = {json_dumps(all, 0)}};
	json_decref(all);
	server[i] = (struct server){.script = &script[i]};
	folder_of(i, folder);
	assert_int_equal(mkdir(folder, 0700), 0);
	snprintf(server[i].path, sizeof(server[i].path), "%s/dpdk_telemetry.v2", folder);
	start_at(&server[i]);
}

static void end_switch(uint32_t i)
{
	char folder[96];

	stop_at(&server[i]);
	folder_of(i, folder);
	rmdir(folder);
	free((char *)(uintptr_t)script[i].replies[0]);
}

static int make_runtime(void **state)
{
	char folder[96];

	(void)state;
	assert_non_null(mkdtemp(runtime));
	setenv("RUNTIME_DIRECTORY", runtime, 1);
	setenv("XDG_RUNTIME_DIR", runtime, 1);
	snprintf(folder, sizeof(folder), "%s/dpdk", runtime);
	return mkdir(folder, 0700);
}

static int remove_runtime(void **state)
{
	char folder[96];

	(void)state;
	snprintf(folder, sizeof(folder), "%s/dpdk", runtime);
	return rmdir(folder) + rmdir(runtime);
}

// Only switches of layer 1 have hosts, so others are not asked.
TEST(links_of_hosts_have_the_rates_of_their_switches)
{
	struct host_link link[HOSTS];

	begin_switch(0, (struct said[PORTS]){{"d0", "h0.eth0", "500pps"},
					     {"d1", "h1.eth0", "10Mbit"},
					     {"u0", "s2-0.d0", "1Gbit"}});
	begin_switch(1, (struct said[PORTS]){{"d0", "h2.eth0", ""},
					     {"d1", "h3.eth0", "1Gbit"},
					     {"d2", "h4.eth0", "1Gbit"}});
	begin_switch(2, (struct said[PORTS]){{"d0", "h0.eth0", "7pps"}});
	assert_int_equal(link_time_of_hosts("linktime", HOSTS, link), 3);
	assert_true(link[0].packet_ns == 2e6 && link[0].octet_ns == 0 && link[0].overhead == 24);
	assert_true(link[1].packet_ns == 0 && link[1].octet_ns == 800 && link[1].overhead == 24);
	assert_true(link[2].packet_ns == 0 && link[2].octet_ns == 0);
	assert_true(link[3].packet_ns == 0 && link[3].octet_ns == 8);
	assert_true(host_link_ns(&link[0], 1000) == 2e6);
	assert_true(host_link_ns(&link[1], 1000) == 800 * 1024);
	assert_true(host_link_ns(&link[2], 1000) == 0);
	for (uint32_t i = 0; i < SWITCHES; i++)
		end_switch(i);
	assert_string_equal(script[0].asked[0], DRB_CMD_ALL);
	assert_string_equal(script[2].asked[0], "");
}

TEST(without_switches_nothing_is_known)
{
	struct host_link link[HOSTS];

	assert_int_equal(link_time_of_hosts("linktime", HOSTS, link), -ENOENT);
	assert_true(link[3].packet_ns == 0 && link[3].octet_ns == 0);
}

// Compares slots with two switches of three uplinks each. Returns what is said last.
static const char *said_of(uint64_t slot_ns, const char *rate, const char *other)
{
	const struct link_time_traffic traffic = {"linktime", slot_ns, 976};
	struct said uplinks[PORTS] = {{"u0", "s2-0.d0", rate},
				      {"u1", "s2-1.d0", rate},
				      {"u2", "s2-2.d0", rate},
				      {"d0", "h0.eth0", "3pps"}};

	begin_switch(0, uplinks);
	uplinks[1].rate = other;
	begin_switch(1, uplinks);
	drb_info("nothing");
	link_time_compare(&traffic);
	end_switch(0);
	end_switch(1);
	return drb_msg_last();
}

TEST(slots_that_do_not_fit_are_named)
{
	assert_string_equal(said_of(2000000, "500pps", "500pps"), "nothing");
	assert_string_equal(said_of(2019000, "500pps", "500pps"), "nothing");
	assert_string_equal(said_of(1981000, "500pps", "500pps"), "nothing");
	assert_string_equal(said_of(2000000, "", ""), "nothing");
	assert_string_equal(
		said_of(2030000, "500pps", "500pps"),
		"the traffic has slots of 2.03ms, but a packet takes 2ms on links of fabric "
		"linktime "
		"(500pps): loads are 0.985 times those it was written with; --slot 2ms fits");
	assert_string_equal(
		said_of(400000, "10Mbit", "10Mbit"),
		"the traffic has slots of 400us, but a packet takes 800us on links of fabric "
		"linktime "
		"(10Mbit): loads are 2 times those it was written with, and queues fill; --slot "
		"800us fits");
}

TEST(uplinks_that_differ_are_named)
{
	assert_string_equal(
		said_of(2000000, "500pps", "250pps"),
		"s1-1.u1 has a rate of 250pps, most uplinks of fabric linktime have 500pps "
		"(1 differ)");
	assert_string_equal(
		said_of(2000000, "500pps", ""),
		"s1-1.u1 has a rate of none, most uplinks of fabric linktime have 500pps "
		"(1 differ)");
}

TEST_MAIN(make_runtime, remove_runtime)
