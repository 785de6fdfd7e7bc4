// SPDX-License-Identifier: BSD-3-Clause
// The telemetry client against a server thread whose replies are good, wrong, late, long or
// missing.
#include "fixtures/unit.h"

#include <sys/stat.h>

#include "common/telemetry/telemetry_client.h"
#include "fixtures/telemetry_server.h"

TEST(good_replies)
{
	struct script script = {.greeting = GREETING,
				.replies = {"{\"/drb/info\":{\"name\":\"s1-0\"}}",
					    "{\"/drb/port\":[1,2]}", "{\"/drb/drops\":null}",
					    "{\"/drb/info\":{}}"}};
	struct server server;
	struct drb_telemetry t;
	json_t *value;

	start(&server, &script);
	assert_int_equal(drb_telemetry_open(&t, server.path, PATIENT_MS), 0);
	assert_int_equal(t.pid, 4711);
	assert_int_equal(drb_telemetry_ask(&t, "/drb/info", NULL, &value), 0);
	assert_string_equal(json_string_value(json_object_get(value, "name")), "s1-0");
	json_decref(value);
	assert_int_equal(drb_telemetry_ask(&t, "/drb/port", "u0", &value), 0);
	assert_int_equal(json_array_size(value), 2);
	json_decref(value);
	// A command that fails leaves the connection usable.
	assert_int_equal(drb_telemetry_ask(&t, "/drb/drops", NULL, &value), -EOPNOTSUPP);
	assert_int_equal(drb_telemetry_ask(&t, "/drb/info", NULL, &value), 0);
	json_decref(value);
	drb_telemetry_close(&t);
	stop(&server);
	assert_string_equal(script.asked[0], "/drb/info");
	assert_string_equal(script.asked[1], "/drb/port,u0");
}

// The result of drb_telemetry_open() for a greeting.
static int greeted_with(const char *greeting)
{
	struct script script = {.greeting = greeting};
	struct server server;
	struct drb_telemetry t;

	start(&server, &script);
	int rc = drb_telemetry_open(&t, server.path, greeting ? PATIENT_MS : IMPATIENT_MS);
	assert_int_equal(t.fd >= 0, rc == 0);
	drb_telemetry_close(&t);
	stop(&server);
	return rc;
}

TEST(bad_greetings)
{
	assert_int_equal(greeted_with(GREETING), 0);
	assert_int_equal(greeted_with(NULL), -ETIMEDOUT);
	assert_int_equal(greeted_with("SSH-2.0-OpenSSH"), -EPROTO);
	assert_int_equal(greeted_with("{}"), -EPROTO);
	assert_int_equal(greeted_with("[]"), -EPROTO);
	assert_int_equal(greeted_with("{\"version\":7,\"max_output_len\":\"x\"}"), -EPROTO);
	assert_int_equal(greeted_with("{\"version\":\"DPDK"), -EPROTO);
}

// Asks once. Also checks that the connection is closed after an error and open after a reply.
static int asked_with(struct script *script, json_t **value)
{
	struct server server;
	struct drb_telemetry t;

	script->greeting = GREETING;
	start(&server, script);
	assert_int_equal(drb_telemetry_open(&t, server.path, PATIENT_MS), 0);
	t.timeout_ms = script->timeout_ms ? script->timeout_ms : PATIENT_MS;
	int rc = drb_telemetry_ask(&t, "/drb/info", NULL, value);
	if (rc < 0 && rc != -EOPNOTSUPP) {
		json_t *again;
		assert_int_equal(t.fd, -1);
		assert_int_equal(drb_telemetry_ask(&t, "/drb/info", NULL, &again), -ENOTCONN);
	}
	drb_telemetry_close(&t);
	stop(&server);
	return rc;
}

TEST(garbage_replies)
{
	static const char *const garbage[] = {
		"hello",
		"{",
		"{\"/drb/info\":",
		"{\"/drb/info\":{\"name\":\"s1-0\"", // truncated
		"{\"/drb/info\":{}} trailing",
		"{\"/drb/ports\":{}}", // the reply to another command
		"[{\"/drb/info\":{}}]",
		"null",
		"\"/drb/info\"",
		"{\"/drb/info\":{\"a\":1,\"a\":2}}", // duplicate key
		"{\"/drb/info\":\"\xff\xfe\"}",      // not UTF-8
		"{\"/drb/info\":\"\\u0000\"}",
		"{\"/drb/info\":123456789012345678901234567890}",
		"{\"/drb/info\":1e999}",
	};
	for (size_t i = 0; i < ARRAY_SIZE(garbage); i++) {
		struct script script = {.replies = {garbage[i]}};
		json_t *value = NULL;
		if (asked_with(&script, &value) != -EPROTO)
			fail_msg("\"%s\" is taken for a reply", garbage[i]);
		assert_null(value);
	}
}

// Endless brackets must not use up the stack.
TEST(deeply_nested_reply)
{
	static char nested[200001];
	struct script script = {.replies = {nested}};
	json_t *value;

	memset(nested, '[', sizeof(nested) - 1);
	memcpy(nested, "{\"/drb/info\":", 13);
	assert_int_equal(asked_with(&script, &value), -EPROTO);
}

TEST(huge_replies)
{
	struct script fits = {.replies = {"{\"/drb/info\":{}}"}, .pad = 100000};
	struct script large = {.replies = {"{\"/drb/info\":{}}"},
			       .pad = DRB_TELEMETRY_REPLY_MAX + 1};
	json_t *value;

	assert_int_equal(asked_with(&fits, &value), 0);
	json_decref(value);
	// Without privilege the system does not send a message of this size, so there is no reply.
	large.timeout_ms = geteuid() == 0 ? 0 : IMPATIENT_MS;
	int rc = asked_with(&large, &value);
	assert_int_equal(rc, large.refused ? -ETIMEDOUT : -EMSGSIZE);
}

TEST(slow_and_silent_replies)
{
	struct script late = {.replies = {"{\"/drb/info\":{}}"}, .delay_ms = 50};
	struct script slow = {.replies = {"{\"/drb/info\":{}}"},
			      .delay_ms = 3 * IMPATIENT_MS,
			      .timeout_ms = IMPATIENT_MS};
	struct script silent = {.replies = {NULL}, .timeout_ms = IMPATIENT_MS};
	struct script gone = {.hang_up = true};
	json_t *value;

	assert_int_equal(asked_with(&late, &value), 0);
	json_decref(value);
	assert_int_equal(asked_with(&slow, &value), -ETIMEDOUT);
	assert_int_equal(asked_with(&silent, &value), -ETIMEDOUT);
	assert_int_equal(asked_with(&gone, &value), -ECONNRESET);
}

TEST(absent_servers)
{
	struct drb_telemetry t;
	char folder[] = "/tmp/drb-test-XXXXXX", path[108], file[108], longest[300];

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/socket", folder);
	snprintf(file, sizeof(file), "%s/file", folder);
	assert_int_equal(drb_telemetry_open(&t, path, PATIENT_MS), -ENOENT);
	// The socket of a process that died.
	close(listen_at(path));
	assert_int_equal(drb_telemetry_open(&t, path, PATIENT_MS), -ECONNREFUSED);
	fclose(fopen(file, "w"));
	assert_int_equal(drb_telemetry_open(&t, file, PATIENT_MS), -ECONNREFUSED);
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	assert_int_equal(drb_telemetry_open(&t, longest, PATIENT_MS), -ENAMETOOLONG);
	// A process that listens but never accepts, because it is stopped: its backlog fills up.
	unlink(path);
	int listener = listen_at(path), rc = 0;
	struct drb_telemetry waiting[8];
	for (size_t i = 0; i < ARRAY_SIZE(waiting); i++) {
		rc = drb_telemetry_open(&waiting[i], path, IMPATIENT_MS / 5);
		assert_int_equal(rc, -ETIMEDOUT);
	}
	close(listener);
	unlink(path);
	unlink(file);
	rmdir(folder);
}

TEST(over_long_commands_are_refused)
{
	struct script script = {.greeting = GREETING};
	struct server server;
	struct drb_telemetry t;
	json_t *value;
	char param[400];

	memset(param, 'x', sizeof(param) - 1);
	param[sizeof(param) - 1] = '\0';
	start(&server, &script);
	assert_int_equal(drb_telemetry_open(&t, server.path, PATIENT_MS), 0);
	assert_int_equal(drb_telemetry_ask(&t, "/drb/port", param, &value), -EMSGSIZE);
	drb_telemetry_close(&t);
	stop(&server);
}

// A runtime folder with sockets of switches and of other processes, and without a listener.
TEST(places_are_found_in_order)
{
	static const char *const instances[] = {"drb-s2-0",   "drb-s1-10",  "drb-s1-9",
						"lab-1-s1-0", "drb-h3",     "rte",
						"drb-s1-",    "testpmd-s1", "bad name-s1-0"};
	char runtime[] = "/tmp/drb-test-XXXXXX", path[256];
	struct drb_switch_socket *places;
	size_t count;

	assert_non_null(mkdtemp(runtime));
	assert_int_equal(drb_telemetry_scan(runtime, NULL, &places, &count), 0);
	assert_int_equal(count, 0);
	free(places);
	snprintf(path, sizeof(path), "%s/dpdk", runtime);
	assert_int_equal(mkdir(path, 0700), 0);
	for (size_t i = 0; i < ARRAY_SIZE(instances); i++) {
		snprintf(path, sizeof(path), "%s/dpdk/%s", runtime, instances[i]);
		assert_int_equal(mkdir(path, 0700), 0);
		strcat(path, "/" DRB_TELEMETRY_SOCKET);
		fclose(fopen(path, "w"));
	}
	snprintf(path, sizeof(path), "%s/dpdk/drb-s3-0", runtime); // no socket in it
	assert_int_equal(mkdir(path, 0700), 0);

	assert_int_equal(drb_telemetry_scan(runtime, NULL, &places, &count), 0);
	assert_int_equal(count, 4);
	assert_string_equal(places[0].instance, "drb-s1-9");
	assert_string_equal(places[1].instance, "drb-s1-10");
	assert_string_equal(places[2].instance, "drb-s2-0");
	assert_string_equal(places[3].instance, "lab-1-s1-0");
	assert_string_equal(places[3].fabric, "lab-1");
	snprintf(path, sizeof(path), "%s/dpdk/drb-s1-9/" DRB_TELEMETRY_SOCKET, runtime);
	assert_string_equal(places[0].path, path);
	free(places);
	assert_int_equal(drb_telemetry_scan(runtime, "drb", &places, &count), 0);
	assert_int_equal(count, 3);
	free(places);
	// The folder comes from the environment, as it does for EAL.
	assert_int_equal(setenv("RUNTIME_DIRECTORY", runtime, 1), 0);
	assert_int_equal(drb_telemetry_scan(NULL, "lab-1", &places, &count), 0);
	assert_int_equal(count, 1);
	free(places);
	assert_int_equal(unsetenv("RUNTIME_DIRECTORY"), 0);

	for (size_t i = 0; i < ARRAY_SIZE(instances); i++) {
		snprintf(path, sizeof(path), "%s/dpdk/%s/" DRB_TELEMETRY_SOCKET, runtime,
			 instances[i]);
		unlink(path);
		*strrchr(path, '/') = '\0';
		rmdir(path);
	}
	snprintf(path, sizeof(path), "%s/dpdk/drb-s3-0", runtime);
	rmdir(path);
	*strrchr(path, '/') = '\0';
	rmdir(path);
	assert_int_equal(rmdir(runtime), 0);
}

TEST_MAIN(NULL, NULL)
