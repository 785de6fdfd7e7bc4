// SPDX-License-Identifier: BSD-3-Clause
// Replies of a switch as structs: everything is taken, nothing malformed is believed.
#include "fixtures/unit.h"

#include "common/telemetry/switch_reader.h"
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
	"\"arity\":2,\"layer\":1,\"label\":5,\"code\":[2,1],\"pid\":7,\"ready\":1,"                \
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

// The reply to `command` with every key of the list; the value of each is its place in the list.
#define VALUE(key, meaning)                                                                        \
	used += (size_t)snprintf(text + used, size - used, "%s\"" #key "\":%u", used ? "," : "",   \
				 at++);

static void counters(char *text, size_t size, const char *command)
{
	size_t used = 0;
	uint32_t at = 100;

	if (strcmp(command, DRB_CMD_DROPS) == 0) {
		DRB_DROP_REASONS(VALUE)
	} else if (strcmp(command, DRB_CMD_ROUTING) == 0) {
		DRB_ROUTING_COUNTERS(VALUE)
	} else {
		DRB_WORKER_COUNTERS(VALUE)
	}
}

// Of a port: with the counters of its XDP program, without, and with some of them only.
TEST(xdp_counters_are_all_there_or_none)
{
#define LINK                                                                                       \
	"{\"/drb/port\":{\"name\":\"u0\",\"peer\":\"s2-0.d0\",\"driver\":\"af_xdp\","              \
	"\"device\":\"u0\",\"state\":\"up\",\"usable\":1,\"neighbour\":\"s2-0.d0\","               \
	"\"loss_in_ppm\":5,\"loss_out_ppm\":7,\"occupancy\":\"queue\",\"rate\":"                   \
	"\"none\","                                                                                \
	"\"queue\":512,\"overhead\":24"
	struct script script = {.replies = {LINK
					    ",\"xdp_seen\":5,\"xdp_redirected\":3,\"xdp_passed\":2,"
					    "\"xdp_ring_full\":1,\"xdp_dropped\":0}}",
					    LINK "}}", LINK ",\"xdp_seen\":5}}"}};
#undef LINK
	struct drb_switch_link link;
	struct drb_telemetry t;
	struct server server;

	connect_to(&server, &script, &t);
	assert_int_equal(drb_read_link(&t, "u0", &link), 0);
	assert_true(link.steered);
	assert_string_equal(link.neighbour, "s2-0.d0");
	assert_true(link.loss_in == 5 && link.loss_out == 7);
	assert_int_equal(link.xdp.xdp_seen, 5);
	assert_int_equal(link.xdp.xdp_redirected, 3);
	assert_int_equal(link.xdp.xdp_passed, 2);
	assert_int_equal(link.xdp.xdp_ring_full, 1);
	assert_int_equal(link.xdp.xdp_dropped, 0);
	assert_int_equal(drb_read_link(&t, "u0", &link), 0);
	assert_false(link.steered);
	assert_int_equal(drb_read_link(&t, "u0", &link), -EPROTO);
	disconnect(&server, &t);
}

// `count` ports and `values` values of every counter; that of port p is 10 p plus the counter's place
// in the list.
static void ports_reply(char *text, size_t size, uint32_t count, uint32_t values)
{
	size_t used = (size_t)snprintf(
		text, size, "{\"/drb/ports\":{\"switch\":\"s1-0\",\"time_ns\":7,\"name\":[");
	uint32_t place = 0;

	for (uint32_t p = 0; p < count; p++)
		used += (size_t)snprintf(text + used, size - used, "%s\"d%u\"", p ? "," : "", p);
#define X(key, meaning)                                                                            \
	used += (size_t)snprintf(text + used, size - used, "],\"" #key "\":[");                    \
	for (uint32_t p = 0; p < values; p++)                                                      \
		used += (size_t)snprintf(text + used, size - used, "%s%u", p ? "," : "",           \
					 10 * p + place);                                          \
	place++;
	DRB_PORT_COUNTERS(X)
#undef X
	snprintf(text + used, size - used, "]}}");
}

static int read_ports(const char *reply, struct drb_switch_ports *ports, struct script *script)
{
	struct drb_telemetry t;
	struct server server;

	*script = (struct script){.replies = {reply}};
	connect_to(&server, script, &t);
	int rc = drb_read_ports(&t, ports);
	disconnect(&server, &t);
	return rc;
}

static void check_ports(const struct drb_switch_ports *ports)
{
	for (uint32_t p = 0; p < ports->count; p++) {
		char name[16];
		uint32_t place = 0;
		snprintf(name, sizeof(name), "d%u", p);
		assert_string_equal(ports->port[p].name, name);
#define X(key, meaning) assert_int_equal(ports->port[p].count.key, 10 * p + place++);
		DRB_PORT_COUNTERS(X)
#undef X
	}
}

TEST(ports_are_read)
{
	static const uint32_t counts[] = {1, 4, 64};
	static char text[16384];
	struct drb_switch_ports ports;
	struct script script;

	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		ports_reply(text, sizeof(text), counts[i], counts[i]);
		assert_int_equal(read_ports(text, &ports, &script), 0);
		assert_string_equal(script.asked[0], "/drb/ports");
		assert_int_equal(ports.count, counts[i]);
		assert_int_equal(ports.time_ns, 7);
		check_ports(&ports);
		drb_switch_ports_free(&ports);
	}
}

TEST(malformed_ports_are_refused)
{
	static const struct {
		uint32_t count, values;
	} cases[] = {
		{0, 0},     // no ports
		{4, 3},     // a counter short
		{4, 5},     // one too many
		{4, 0},     // none
		{1000, 64}, // more than any switch has
		{1000, 1000},
	};
	static char text[1 << 17];
	struct drb_switch_ports ports;
	struct script script;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		ports_reply(text, sizeof(text), cases[i].count, cases[i].values);
		assert_int_equal(read_ports(text, &ports, &script), -EPROTO);
		assert_null(ports.port);
		assert_int_equal(ports.count, 0);
	}
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

// A reply to /drb/all whose values are their places in the lists: ports first to end - 1 of `all`.
static void all_reply(char *text, size_t size, uint32_t first, uint32_t end, uint32_t all,
		      uint64_t time_ns)
{
	static const char *const texts[] = {"name",   "peer",   "neighbour", "state",
					    "driver", "device", "rate",      "occupancy"};
	char keys[1024], *at = text;

#define ADD(...) at += snprintf(at, size - (size_t)(at - text), __VA_ARGS__)
#define COLUMN(key, ...)                                                                           \
	ADD("%s\"%s\":[", at[-1] == '{' ? "" : ",", key);                                          \
	for (uint32_t p = first; p < end; p++) {                                                   \
		ADD("%s", p > first ? "," : "");                                                   \
		ADD(__VA_ARGS__);                                                                  \
	}                                                                                          \
	ADD("]");
	ADD("{\"/drb/all\":{\"time_ns\":%llu,", (unsigned long long)time_ns);
	if (first == 0) {
		ADD("\"info\":{\"name\":\"s1-0\",\"fabric\":\"drb\",\"version\":\"0.1.0\","
		    "\"layers\":3,\"arity\":2,\"layer\":1,\"label\":0,\"code\":[0,0],\"pid\":7,"
		    "\"ready\":1,\"uptime_ns\":1,\"reloads\":0,\"ports_usable\":3,\"trouble\":\"\","
		    "\"ports\":%u},",
		    all);
		counters(keys, sizeof(keys), DRB_CMD_ROUTING);
		ADD("\"routing\":{\"scheme\":\"drb\",\"unit\":\"packet\",\"threshold\":\"1.5\","
		    "\"threshold_mode\":\"auto\",\"utilisation\":\"0.25\",\"flows\":12,"
		    "\"flows_per_uplink\":\"3\",\"choices\":2,\"seed\":9,%s},",
		    keys);
		counters(keys, sizeof(keys), DRB_CMD_DROPS);
		ADD("\"drops\":{%s},", keys);
		counters(keys, sizeof(keys), DRB_CMD_WORKER);
		ADD("\"worker\":{\"idle\":\"sleep\",\"time_ns\":5,\"cycles_hz\":6,\"buffers\":8,"
		    "\"buffers_free\":7,%s},\"differences\":{\"every\":61,\"count\":[0",
		    keys);
		for (uint32_t i = 1; i < DRB_DIFFERENCES; i++)
			ADD(",%u", i);
		ADD("]},\"samples\":{\"burst_size\":[0");
		for (uint32_t i = 1; i < DRB_LOG_BINS; i++)
			ADD(",%u", i);
		ADD("],\"queue_length\":[0");
		for (uint32_t i = 1; i < DRB_LOG_BINS; i++)
			ADD(",%u", 2 * i);
		ADD("]},");
	}
	ADD("\"ports\":{");
	for (size_t t = 0; t < ARRAY_SIZE(texts); t++) {
		COLUMN(texts[t], "\"%s%u\"", texts[t], p)
	}
	COLUMN("usable", "%u", p % 2)
	COLUMN("queue", "%u", 512 + p)
	uint32_t place = 0;
#define X(key, meaning)                                                                            \
	COLUMN(#key, "%u", 10 * p + place)                                                         \
	place++;
	DRB_PORT_COUNTERS(X)
#undef X
	ADD("}}}");
#undef COLUMN
#undef ADD
}

static void check_all(const struct drb_switch_all *all)
{
	assert_string_equal(all->info.name, "s1-0");
	assert_string_equal(all->routing.threshold, "1.5");
	assert_string_equal(all->routing.threshold_mode, "auto");
	assert_string_equal(all->routing.utilisation, "0.25");
	assert_string_equal(all->routing.flows_per_uplink, "3");
	assert_int_equal(all->routing.flows, 12);
	assert_int_equal(all->routing.seed, 9);
	assert_int_equal(all->worker.cycles_hz, 6);
	assert_int_equal(all->worker.buffers_free, 7);
	assert_string_equal(all->worker.idle, "sleep");
	uint32_t at = 100;
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
	assert_int_equal(all->differences.count[64], 64);
	assert_int_equal(all->burst_size[DRB_LOG_BINS - 1], DRB_LOG_BINS - 1);
	assert_int_equal(all->queue_length[3], 6);
	for (uint32_t p = 0; p < all->port_count; p++) {
		const struct drb_switch_full_port *port = &all->ports[p];
		char peer[16];
		uint32_t place = 0;
		snprintf(peer, sizeof(peer), "peer%u", p);
		assert_string_equal(port->link.peer, peer);
		assert_string_equal(port->port.name + 4, peer + 4);
		assert_int_equal(port->link.usable, p % 2);
		assert_int_equal(port->link.queue, 512 + p);
#define X(key, meaning) assert_int_equal(port->port.count.key, 10 * p + place++);
		DRB_PORT_COUNTERS(X)
#undef X
	}
}

// What the replies to a whole reading lead to.
static int read_all(char replies[][16384], uint32_t count, struct drb_switch_all *all,
		    struct script *script)
{
	struct drb_telemetry t;
	struct server server;

	*script = (struct script){0};
	for (uint32_t i = 0; i < count; i++)
		script->replies[i] = replies[i];
	connect_to(&server, script, &t);
	t.timeout_ms = count < 4 ? IMPATIENT_MS : PATIENT_MS;
	int rc = drb_read_all(&t, all);
	disconnect(&server, &t);
	return rc;
}

TEST(everything_is_read_at_once)
{
	static char replies[4][16384];
	struct drb_switch_all all;
	struct script script;

	all_reply(replies[0], sizeof(replies[0]), 0, 4, 4, 7);
	assert_int_equal(read_all(replies, 1, &all, &script), 0);
	assert_int_equal(all.port_count, 4);
	assert_true(all.time_ns == 7);
	check_all(&all);
	drb_switch_all_free(&all);

	// 64 ports in two replies, between which many readers ask: once more.
	all_reply(replies[0], sizeof(replies[0]), 0, 32, 64, 7);
	all_reply(replies[1], sizeof(replies[1]), 32, 64, 64, 8);
	all_reply(replies[2], sizeof(replies[2]), 0, 32, 64, 9);
	all_reply(replies[3], sizeof(replies[3]), 32, 64, 64, 9);
	assert_int_equal(read_all(replies, 4, &all, &script), 0);
	assert_string_equal(script.asked[0], "/drb/all");
	assert_string_equal(script.asked[1], "/drb/all,32,7");
	assert_string_equal(script.asked[3], "/drb/all,32,9");
	assert_int_equal(all.port_count, 64);
	assert_true(all.time_ns == 9);
	check_all(&all);
	drb_switch_all_free(&all);
}

TEST(malformed_wholes_are_refused)
{
	static const uint32_t cases[][2] = {{4, 3}, {0, 0}, {4, 0}}; // ports that come, that are
	static char replies[4][16384];
	struct drb_switch_all all;
	struct script script;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		all_reply(replies[0], sizeof(replies[0]), 0, cases[i][0], cases[i][1], 7);
		assert_int_equal(read_all(replies, 1, &all, &script), -EPROTO);
		assert_null(all.ports);
	}
	// Further ports beyond those that there are.
	all_reply(replies[0], sizeof(replies[0]), 0, 4, 6, 7);
	all_reply(replies[1], sizeof(replies[1]), 4, 8, 6, 7);
	assert_int_equal(read_all(replies, 2, &all, &script), -EPROTO);
	assert_null(all.ports);
}

TEST_MAIN(NULL, NULL)
