// SPDX-License-Identifier: BSD-3-Clause
// Many switches are asked at once. One that hangs costs the timeout only once, and its late reply
// does not count as a new one. The test plays the switches and writes any replies at any time into
// their sockets.
#include "fixtures/unit.h"

#include <sys/socket.h>
#include <unistd.h>

#include "common/cli/clock.h"
#include "core/counters.h"
#include "ctl/metrics/ask.h"
#include "fixtures/all_reply.h"
#include "fixtures/telemetry_server.h"

#define SWITCHES 12 // more than are asked at a time

static char folder[64];
static int listener[SWITCHES];
static struct metrics_connection all[SWITCHES];

static void say(int fd, const char *text)
{
	assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

static void say_answer(int fd, uint64_t time_ns)
{
	json_t *reply = json_pack("{s:o}", DRB_CMD_ALL, all_reply(time_ns, 1));
	char *text = json_dumps(reply, JSON_COMPACT);

	say(fd, text);
	free(text);
	json_decref(reply);
}

// Accepts the connection to a switch, and sends the greeting.
static int greet(size_t i)
{
	int fd = accept(listener[i], NULL, NULL);

	assert_true(fd >= 0);
	say(fd, GREETING);
	return fd;
}

static uint64_t round_ms(size_t count, uint32_t timeout_ms)
{
	uint64_t begun = drb_clock_now();

	metrics_ask(all, count, timeout_ms);
	return (drb_clock_now() - begun) / 1000000;
}

static int begin(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/drb-test-XXXXXX");
	assert_non_null(mkdtemp(folder));
	for (size_t i = 0; i < SWITCHES; i++) {
		all[i] = (struct metrics_connection){.telemetry = {.fd = -1}};
		snprintf(all[i].socket.path, sizeof(all[i].socket.path), "%s/%zu", folder, i);
		listener[i] = listen_at(all[i].socket.path);
	}
	return 0;
}

static int end(void **state)
{
	(void)state;
	for (size_t i = 0; i < SWITCHES; i++) {
		metrics_connection_close(&all[i]);
		close(listener[i]);
		unlink(all[i].socket.path);
	}
	return rmdir(folder);
}

// Replies of all rounds are already in the sockets when they are read, except those of the switch
// that hangs.
TEST_WITH(one_that_hangs_is_waited_for_once, begin, end)
{
	int fd[SWITCHES];

	round_ms(SWITCHES, IMPATIENT_MS);
	for (size_t i = 0; i < SWITCHES; i++) {
		assert_int_equal(all[i].error, -ETIMEDOUT);
		if (i == 3)
			continue;
		fd[i] = greet(i);
		say_answer(fd[i], 5);
	}
	for (int more = 0; more < 3; more++) {
		for (size_t i = 0; i < SWITCHES && more; i++) {
			if (i != 3)
				say_answer(fd[i], 5 + (uint64_t)more);
		}
		assert_true(round_ms(SWITCHES, PATIENT_MS) < PATIENT_MS / 2);
		for (size_t i = 0; i < SWITCHES; i++) {
			assert_int_equal(all[i].error, i == 3 ? -ETIMEDOUT : 0);
			assert_int_equal(all[i].all.time_ns, i == 3 ? 0 : 5 + (uint64_t)more);
		}
	}
	// The switch continues, and counts like any other.
	fd[3] = greet(3);
	say_answer(fd[3], 9);
	round_ms(SWITCHES, IMPATIENT_MS);
	assert_int_equal(all[3].error, 0);
	assert_int_equal(all[3].all.time_ns, 9);
	for (size_t i = 0; i < SWITCHES; i++)
		close(fd[i]);
}

TEST_WITH(a_late_answer_is_not_a_new_one, begin, end)
{
	round_ms(1, IMPATIENT_MS);
	int fd = greet(0);
	assert_true(round_ms(1, IMPATIENT_MS) >= IMPATIENT_MS);
	assert_int_equal(all[0].error, -ETIMEDOUT);
	say_answer(fd, 5); // to the round that is over
	say_answer(fd, 6);
	round_ms(1, PATIENT_MS);
	assert_int_equal(all[0].error, 0);
	assert_int_equal(all[0].all.time_ns, 6);
	close(fd);
}

TEST_WITH(one_that_was_started_again_is_asked_again, begin, end)
{
	round_ms(1, IMPATIENT_MS);
	int fd = greet(0);
	say_answer(fd, 5);
	round_ms(1, PATIENT_MS);
	assert_int_equal(all[0].error, 0);
	close(fd);
	round_ms(1, IMPATIENT_MS); // finds the old connection dead, and makes a new one
	fd = greet(0);
	say_answer(fd, 6);
	round_ms(1, PATIENT_MS);
	assert_int_equal(all[0].all.time_ns, 6);
	close(fd);
}

TEST_WITH(dead_and_wrong_ones_are_told_at_once, begin, end)
{
	shutdown(listener[0], SHUT_RDWR);
	unlink(all[1].socket.path);
	round_ms(3, IMPATIENT_MS);
	assert_int_equal(all[0].error, -ECONNREFUSED);
	assert_int_equal(all[1].error, -ENOENT);
	int fd = greet(2);
	say(fd, "{\"" DRB_CMD_ALL "\":null}");
	say(fd, "{\"" DRB_CMD_INFO "\":null}");
	assert_true(round_ms(3, PATIENT_MS) < PATIENT_MS / 2);
	assert_int_equal(all[2].error, -EOPNOTSUPP);
	say(fd, "{\"" DRB_CMD_ALL "\":{\"time_ns\":1}}");
	assert_true(round_ms(3, PATIENT_MS) < PATIENT_MS / 2);
	assert_int_equal(all[2].error, -EPROTO);
	assert_null(all[2].all.ports);
	close(fd);
}

// A switch that cannot tell its counters is asked who it is: it starts, or a worker is stuck, or
// gets no CPU.
TEST_WITH(one_without_counters_says_why, begin, end)
{
	static const struct {
		const char *all;
		int ready, stuck, error;
	} rows[] = {
		{"null", 0, 0, -EAGAIN},
		{"{\"stuck\":1,\"trouble\":\"worker 0 is stuck\"}", 1, 1, -EIO},
		{"{\"stuck\":0,\"trouble\":\"a worker does not answer\"}", 1, 0, -ETIMEDOUT},
	};
	char text[512];

	round_ms(1, IMPATIENT_MS);
	int fd = greet(0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		snprintf(text, sizeof(text), "{\"" DRB_CMD_ALL "\":%s}", rows[i].all);
		say(fd, text);
		snprintf(text, sizeof(text),
			 "{\"" DRB_CMD_INFO "\":{\"name\":\"s1-0\",\"fabric\":\"drb\","
			 "\"layer\":1,\"label\":0,\"ready\":%d,\"stuck\":%d}}",
			 rows[i].ready, rows[i].stuck);
		say(fd, text);
		assert_true(round_ms(1, PATIENT_MS) < PATIENT_MS / 2);
		assert_int_equal(all[0].error, rows[i].error);
		assert_string_equal(all[0].all.info.name, "s1-0");
	}
	close(fd);
}

TEST_MAIN(NULL, NULL)
