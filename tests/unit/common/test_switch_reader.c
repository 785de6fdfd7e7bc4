// SPDX-License-Identifier: BSD-3-Clause
// Replies of a switch as structs: everything is taken, nothing malformed is believed.
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
	"\"stuck\":0,"                                                                             \
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
	assert_string_equal(info.trouble, "u0 down");
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

// A label code with more digits than the text has room for.
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

// Without each of the keys of `part`, which lies somewhere in the reply, and with each of another kind.
static void refuse_each(const json_t *reply, json_t *part)
{
	json_t *without = json_copy(part), *value;
	const char *key;

	json_object_foreach(without, key, value)
	{
		json_object_del(part, key);
		refuse(reply, key);
		json_object_set_new(part, key, json_true());
		refuse(reply, key);
		json_object_set(part, key, value);
	}
	json_decref(without);
}

TEST(every_key_is_needed)
{
	static const char *const parts[] = {"info",   "routing",     "drops",
					    "worker", "differences", "samples"};
	json_t *reply = all_reply(7, 3);
	struct drb_switch_all all;

	refuse_each(reply, reply);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		refuse_each(reply, json_object_get(reply, parts[i]));
	refuse_each(reply, json_array_get(json_object_get(reply, "ports"), 2));
	assert_int_equal(drb_all_take(reply, &all), 0); // as it was
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

// Of a port: with the counters of its XDP program, without, and with some of them only.
TEST(xdp_counters_are_all_there_or_none)
{
	json_t *reply = all_reply(7, 1), *port = json_array_get(json_object_get(reply, "ports"), 0);
	struct drb_switch_all all;
	uint64_t at = 0;

	assert_int_equal(drb_all_take(reply, &all), 0);
	assert_false(all.ports[0].steered);
	drb_switch_all_free(&all);
	json_object_set_new(port, "xdp_seen", json_integer(0));
	refuse(reply, "xdp_seen");
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
	refuse(stuck, "neither time nor trouble");
	json_decref(stuck);
}

TEST_MAIN(NULL, NULL)
