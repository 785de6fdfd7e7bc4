// SPDX-License-Identifier: BSD-3-Clause
// Replies of a switch as structs: all values are read, and malformed replies are refused.
#include "fixtures/unit.h"

#include "common/telemetry/switch_reader.h"
#include "fixtures/all_reply.h"
#include "fixtures/telemetry_server.h"

// Connects to a server with these replies.
static void connect_to(struct server *server, struct script *script, struct drb_telemetry *t)
{
	script->greeting = GREETING;
	start(server, script);
	assert_int_equal(drb_telemetry_open(t, server->path, PATIENT_MS), 0);
}

static void disconnect(struct server *server, struct drb_telemetry *t)
{
	drb_telemetry_close(t);
	stop(server);
}

#define INFO                                                                                       \
	"{\"/drb/info\":{\"name\":\"s1-5\",\"fabric\":\"drb\",\"version\":\"0.1.0\",\"layers\":3," \
	"\"arity\":2,\"uplinks\":2,\"layer\":1,\"label\":5,\"code\":[2,1],\"pid\":7,\"ready\":1,"  \
	"\"stuck\":0,\"capturing\":1,\"ipv4\":\"192.168.0.0/16\","                                 \
	"\"uptime_ns\":12345678901234,\"reloads\":2,\"ports\":4,\"ports_usable\":3,\"trouble\":"   \
	"\"u0 down\"}}"

TEST(info_is_read)
{
	struct script script = {.replies = {INFO}};
	struct drb_switch_info info;
	struct drb_telemetry t;
	struct server server;

	connect_to(&server, &script, &t);
	assert_int_equal(drb_read_info(&t, &info), 0);
	disconnect(&server, &t);
	assert_string_equal(info.name, "s1-5");
	assert_string_equal(info.fabric, "drb");
	assert_string_equal(info.code, "(2,1)");
	assert_int_equal(info.layer, 1);
	assert_int_equal(info.label, 5);
	assert_int_equal(info.ready, 1);
	assert_true(info.uptime_ns == 12345678901234);
	assert_int_equal(info.reloads, 2);
	assert_int_equal(info.ports_usable, 3);
	assert_int_equal(info.capturing, 1);
	assert_string_equal(info.trouble, "u0 down");
	// The MAC is missing, as in replies of earlier versions.
	const struct drb_addr_plan plan = drb_info_addresses(&info);
	assert_int_equal(drb_addr_ipv4(&plan, 5), 0xc0a80006);
	assert_int_equal(plan.mac[0], 2);
	assert_int_equal(plan.hosts, 16);
}

TEST(malformed_values_are_refused)
{
	// Replacements in INFO.
	static const char *const cases[][2] = {
		{"\"s1-5\"", "5"},
		{"\"s1-5\"", "null"},
		{"\"s1-5\"", "\"a name that is far too long for the name of any switch there is\""},
		{"\"layer\":1", "\"layer\":-1"},
		{"\"layer\":1", "\"layer\":1.5"},
		{"\"layer\":1", "\"layer\":\"1\""},
		{"\"layer\":1", "\"leier\":1"},
		{"\"drb\"", "null"},
		{"\"label\":5", "\"label\":null"},
		{"\"pid\":7", "\"pid\":-7"},
		{"\"ready\":1", "\"ready\":true"},
		{"[2,1]", "{}"},
		{"[2,1]", "\"(2,1)\""},
		{"[2,1]", "[2,-1]"},
		{"[2,1]", "[[2],1]"},
		{"{\"name\"", "[{\"name\""},
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char text[1024];
		const char *at = strstr(INFO, cases[i][0]);
		assert_non_null(at);
		snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - INFO), INFO, cases[i][1],
			 at + strlen(cases[i][0]));
		struct script script = {.replies = {text}};
		struct drb_switch_info info;
		struct drb_telemetry t;
		struct server server;
		connect_to(&server, &script, &t);
		if (drb_read_info(&t, &info) != -EPROTO)
			fail_msg("%s is believed", text);
		disconnect(&server, &t);
	}
}

// A label code with more digits than fit in the text.
TEST(endless_codes_are_refused)
{
	static char text[8192] = INFO;
	struct script script = {.replies = {text}};
	struct drb_switch_info info;
	struct drb_telemetry t;
	struct server server;

	char *at = strstr(text, "[2,1]"), tail[256];
	snprintf(tail, sizeof(tail), "%s", at + strlen("[2,1]"));
	strcpy(at, "[2");
	for (int i = 0; i < 1000; i++)
		strcat(at, ",1");
	strcat(at, "]");
	strcat(at, tail);
	connect_to(&server, &script, &t);
	assert_int_equal(drb_read_info(&t, &info), -EPROTO);
	disconnect(&server, &t);
}

// The sum of counters whose values are 100 plus their index.
static uint64_t sum_of_places(uint64_t count)
{
	return count * 100 + count * (count - 1) / 2;
}

static void check_counters(const struct drb_switch_all *all)
{
	uint64_t at = 100;

#define X(key, meaning) assert_int_equal(all->drops.reason[DRB_DROP_##key], at++);
	DRB_DROP_REASONS(X)
#undef X
	at = 100;
#define X(key, meaning) assert_int_equal(all->routing.count.key, at++);
	DRB_ROUTING_COUNTERS(X)
#undef X
	at = 100;
#define X(key, meaning) assert_int_equal(all->worker.count.key, at++);
	DRB_WORKER_COUNTERS(X)
#undef X
	for (uint32_t i = 0; i < DRB_DIFFERENCES; i++)
		assert_int_equal(all->differences.count[i], i);
	for (uint32_t i = 0; i < DRB_LOG_BINS; i++)
		assert_true(all->burst_size[i] == i && all->queue_length[i] == i);
}

static void check_ports(const struct drb_switch_all *all)
{
	for (uint32_t p = 0; p < all->port_count; p++) {
		const struct drb_switch_port *port = &all->ports[p];
		uint64_t at = 100 + 1000 * (uint64_t)p;
		char name[16], peer[16];
		snprintf(name, sizeof(name), "u%u", p);
		snprintf(peer, sizeof(peer), "s2-%u.d0", p);
		assert_string_equal(port->name, name);
		assert_string_equal(port->peer, peer);
		assert_string_equal(port->neighbour, peer);
		assert_string_equal(port->rate, "500pps");
		assert_true(port->usable == p % 2 && port->queue == 512 + p);
		assert_true(port->overhead == 24 && port->loss_in == 5 && port->loss_out == 7);
		assert_ptr_equal(drb_port_named(all, name), port);
#define X(key, meaning) assert_int_equal(port->count.key, at++);
		DRB_PORT_COUNTERS(X)
#undef X
	}
	assert_null(drb_port_named(all, "d0"));
}

TEST(everything_is_read_at_once)
{
	static const uint32_t counts[] = {1, 4, 64};

	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		struct drb_switch_all all;
		json_t *reply = all_reply(7, counts[i]);
		assert_int_equal(drb_all_take(reply, &all), 0);
		assert_int_equal(all.port_count, counts[i]);
		assert_true(all.time_ns == 7);
		assert_true(all.drops.sum == sum_of_places(DRB_DROP_COUNT));
		assert_int_equal(all.drop_name_count, DRB_DROP_COUNT);
		assert_string_equal(all.info.name, "s1-0");
		assert_string_equal(all.routing.threshold, "1.5");
		assert_string_equal(all.routing.threshold_mode, "auto");
		assert_string_equal(all.routing.utilisation, "0.25");
		assert_string_equal(all.routing.flows_per_uplink, "3");
		assert_true(all.routing.flows == 12 && all.routing.seed == 9);
		assert_true(all.worker.cycles_hz == 6 && all.worker.buffers_free == 7);
		assert_string_equal(all.worker.idle, "sleep");
		check_counters(&all);
		check_ports(&all);
		drb_switch_all_free(&all);
		json_decref(reply);
	}
}

static void refuse(const json_t *reply, const char *why)
{
	struct drb_switch_all all;

	if (drb_all_take(reply, &all) != -EPROTO)
		fail_msg("believed: %s", why);
	assert_null(all.ports);
	assert_int_equal(all.port_count, 0);
}

// Counts the figures that the reply lacks: they are unknown in `all`, and all other figures are as
// in `whole`.
static size_t differing(const void *whole, const void *all, size_t size)
{
	const uint64_t *a = whole, *b = all;
	size_t count = 0;

	for (size_t i = 0; i < size / sizeof(*a); i++) {
		if (a[i] == b[i])
			continue;
		assert_true(b[i] == DRB_UNKNOWN);
		count++;
	}
	return count;
}

// Counts the figures that differ between two readings, over all groups of counters.
static size_t figures_lost(const struct drb_switch_all *a, const struct drb_switch_all *b)
{
	size_t count = differing(&a->routing.count, &b->routing.count, sizeof(a->routing.count)) +
		       differing(&a->worker.count, &b->worker.count, sizeof(a->worker.count)) +
		       differing(a->drops.reason, b->drops.reason, sizeof(a->drops.reason));

	assert_int_equal(a->port_count, b->port_count);
	for (uint32_t p = 0; p < a->port_count; p++)
		count += differing(&a->ports[p].count, &b->ports[p].count,
				   sizeof(a->ports[p].count));
	return count;
}

// Removes each key of a part of the reply in turn, and adds an unknown key.
static void take_without_each(const json_t *reply, json_t *part, size_t lost)
{
	json_t *copy = json_copy(part), *value;
	struct drb_switch_all whole, all;
	const char *key;

	assert_int_equal(drb_all_take(reply, &whole), 0);
	json_object_foreach(copy, key, value)
	{
		if (json_is_string(value))
			continue;
		json_object_del(part, key);
		json_object_set_new(part, "row_of_a_later_version", json_integer(0));
		if (drb_all_take(reply, &all) < 0)
			fail_msg("not understood without %s", key);
		if (figures_lost(&whole, &all) != lost)
			fail_msg("%s changes other figures", key);
		drb_switch_all_free(&all);
		json_object_set_new(part, key, json_true());
		refuse(reply, key);
		json_object_del(part, "row_of_a_later_version");
		json_object_set(part, key, value);
	}
	drb_switch_all_free(&whole);
	json_decref(copy);
}

// The rows of one table, and nothing else, as a part of the reply.
#define ADD_ROW(key, meaning) json_object_set_new(rows, #key, json_integer(at++));

TEST(a_row_more_or_less_changes_that_row_alone)
{
	json_t *reply = all_reply(7, 3), *rows;
	json_int_t at;

	json_object_set_new(reply, "routing", rows = json_object());
	at = 100;
	DRB_ROUTING_COUNTERS(ADD_ROW)
	take_without_each(reply, rows, 1);
	json_object_set_new(reply, "worker", rows = json_object());
	at = 100;
	DRB_WORKER_COUNTERS(ADD_ROW)
	take_without_each(reply, rows, 1);
	take_without_each(reply, json_object_get(reply, "drops"), 1);
	rows = json_array_get(json_object_get(reply, "ports"), 2);
	json_object_clear(rows);
	json_object_set_new(rows, "name", json_string("u2"));
	at = 100;
	DRB_PORT_COUNTERS(ADD_ROW)
	take_without_each(reply, rows, 1);
	json_object_del(rows, "name");
	refuse(reply, "a port without a name");
	json_decref(reply);
}

// Whole parts are missing, and values that are not counters.
TEST(only_the_identity_is_needed)
{
	static const char *const parts[] = {"routing", "drops", "worker", "differences", "samples"};
	static const char *const needed[] = {"name", "fabric", "layer", "label"};
	json_t *reply = all_reply(7, 3), *info = json_object_get(reply, "info");
	struct drb_switch_all all;

	for (size_t i = 0; i < ARRAY_SIZE(needed); i++) {
		json_t *value = json_incref(json_object_get(info, needed[i]));
		json_object_del(info, needed[i]);
		refuse(reply, needed[i]);
		json_object_set_new(info, needed[i], value);
	}
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		json_object_del(reply, parts[i]);
	assert_int_equal(drb_all_take(reply, &all), 0);
	assert_true(all.routing.seed == DRB_UNKNOWN && all.routing.count.down == DRB_UNKNOWN);
	assert_null(drb_known_text(all.routing.scheme));
	assert_true(all.drops.sum == DRB_UNKNOWN && all.worker.count.sleeps == DRB_UNKNOWN);
	assert_true(all.differences.count[0] == DRB_UNKNOWN && all.burst_size[3] == DRB_UNKNOWN);
	drb_switch_all_free(&all);
	json_object_clear(reply);
	json_object_set_new(reply, "info",
			    json_pack("{s:s, s:s, s:i, s:i}", "name", "s1-0", "fabric", "drb",
				      "layer", 1, "label", 0));
	assert_int_equal(drb_all_take(reply, &all), 0);
	assert_true(all.port_count == 0 && all.info.pid == DRB_UNKNOWN);
	assert_null(drb_known_text(all.info.version));
	drb_switch_all_free(&all);
	json_decref(reply);
}

// Another number of bins is unknown, because bins would get the wrong sizes. Texts that are too
// long are cut.
TEST(other_shapes_are_unknown)
{
	json_t *reply = all_reply(7, 1);
	json_t *port = json_array_get(json_object_get(reply, "ports"), 0);
	struct drb_switch_all all;
	char driver[500];

	memset(driver, 'x', sizeof(driver) - 1);
	driver[sizeof(driver) - 1] = '\0';
	json_object_set_new(port, "driver", json_string(driver));
	json_object_set_new(json_object_get(reply, "differences"), "count",
			    list_reply(DRB_DIFFERENCES + 2));
	assert_int_equal(drb_all_take(reply, &all), 0);
	assert_true(all.differences.count[0] == DRB_UNKNOWN);
	assert_int_equal(strlen(all.ports[0].driver), sizeof(all.ports[0].driver) - 1);
	drb_switch_all_free(&all);
	json_decref(reply);
}

// Captures number drop reasons by the table of the switch, not by that of the reader.
TEST(reasons_keep_the_order_of_the_switch)
{
	json_t *reply = all_reply(7, 1), *drops = json_object();
	struct drb_switch_all all;

	json_object_set_new(drops, "later_reason", json_integer(5));
	json_object_set_new(drops, "queue_full", json_integer(3));
	json_object_set_new(reply, "drops", drops);
	assert_int_equal(drb_all_take(reply, &all), 0);
	assert_int_equal(all.drop_name_count, 2);
	assert_string_equal(all.drop_names[0], "later_reason");
	assert_string_equal(all.drop_names[1], "queue_full");
	assert_true(all.drops.sum == 8 && all.drops.reason[DRB_DROP_queue_full] == 3);
	assert_true(all.drops.reason[DRB_DROP_no_route] == DRB_UNKNOWN);
	drb_switch_all_free(&all);
	json_decref(reply);
}

TEST(other_ports_than_there_are_are_refused)
{
	static const uint32_t cases[][2] = {{4, 3}, {3, 4}, {0, 0}, {0, 4}, {1000, 1000}};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		json_t *reply = all_reply(7, cases[i][0]);
		json_object_set_new(json_object_get(reply, "info"), "ports",
				    json_integer(cases[i][1]));
		refuse(reply, "ports");
		json_decref(reply);
	}
}

TEST(xdp_counters_are_of_af_xdp_ports)
{
	json_t *reply = all_reply(7, 1), *port = json_array_get(json_object_get(reply, "ports"), 0);
	struct drb_switch_all all;
	uint64_t at = 0;

	assert_int_equal(drb_all_take(reply, &all), 0);
	assert_false(all.ports[0].steered);
	drb_switch_all_free(&all);
#define X(key, meaning) json_object_set_new(port, #key, json_integer((json_int_t)at++));
	DRB_XDP_COUNTERS(X)
#undef X
	assert_int_equal(drb_all_take(reply, &all), 0);
	assert_true(all.ports[0].steered);
	at = 0;
#define X(key, meaning) assert_int_equal(all.ports[0].xdp.key, at++);
	DRB_XDP_COUNTERS(X)
#undef X
	drb_switch_all_free(&all);
	json_decref(reply);
}

TEST(one_without_a_snapshot_says_why)
{
	struct drb_switch_all all;
	json_t *stuck = json_pack("{s:i, s:s}", "stuck", 1, "trouble", "worker 0 is stuck");

	assert_int_equal(drb_all_take(stuck, &all), -EIO);
	json_object_set_new(stuck, "stuck", json_integer(0));
	assert_int_equal(drb_all_take(stuck, &all), -ETIMEDOUT);
	json_object_del(stuck, "stuck");
	refuse(stuck, "no switch");
	json_decref(stuck);
}

TEST_MAIN(NULL, NULL)
