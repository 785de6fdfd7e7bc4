// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/metrics/ask.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#include "common/cli/clock.h"
#include "core/counters.h"

// Most switches that are asked at a time, because more would compete for the CPUs. When a switch
// has not answered for SLOW_NS, it no longer counts, and the next switch is asked.
#define AT_A_TIME 8
#define SLOW_NS UINT64_C(20000000)
// Time between attempts to connect to a socket whose backlog is full.
#define RETRY_MS 5

static void reading_begin(struct metrics_connection *c);

static void reading_end(struct metrics_connection *c, int error)
{
	c->error = error;
	c->owes = OWES_NOTHING;
	c->silent = c->old = false;
	c->ended = true;
}

// Handles an error. The old connection to a switch that has restarted fails with -ECONNRESET. This
// error is therefore worth one more attempt with a new connection.
static void fail(struct metrics_connection *c, int error)
{
	if (error != -ECONNRESET || c->fresh) {
		reading_end(c, error);
		return;
	}
	c->owes = OWES_NOTHING;
	c->silent = c->old = false;
	reading_begin(c);
}

static void snapshot_ask(struct metrics_connection *c)
{
	int rc = drb_telemetry_send(&c->telemetry, DRB_CMD_ALL, NULL);

	c->silent = c->old = false;
	if (rc < 0)
		fail(c, rc);
	else
		c->owes = OWES_ANSWER;
}

static void reading_begin(struct metrics_connection *c)
{
	if (c->owes != OWES_NOTHING)
		return;
	if (c->telemetry.fd >= 0) {
		snapshot_ask(c);
		return;
	}
	int rc = drb_telemetry_connect(&c->telemetry, c->socket.path);
	if (rc == 0) {
		c->fresh = true;
		c->owes = OWES_GREETING;
	} else if (rc != -ETIMEDOUT) {
		reading_end(c, rc);
	}
}

// Takes the reply to DRB_CMD_ALL; rc < 0: there is none. A switch that starts, or has a worker that
// does not report, still reports its identity.
static void take_all(struct metrics_connection *c, int rc, const json_t *reply)
{
	drb_switch_all_free(&c->all);
	c->why = rc < 0 ? rc : drb_all_take(reply, &c->all);
	if ((c->why != -EOPNOTSUPP && c->why != -EIO && c->why != -ETIMEDOUT) ||
	    drb_telemetry_send(&c->telemetry, DRB_CMD_INFO, NULL) < 0)
		reading_end(c, c->why);
	else
		c->owes = OWES_INFO;
}

static void take_info(struct metrics_connection *c, int rc, const json_t *reply)
{
	if (rc == 0)
		rc = drb_info_take(reply, &c->all.info);
	if (rc == 0)
		rc = c->all.info.stuck == 1 ? -EIO : c->why == -EOPNOTSUPP ? -EAGAIN : c->why;
	reading_end(c, rc);
}

// Receives a greeting or a reply, because the socket is readable.
static void go_on(struct metrics_connection *c)
{
	const bool greeting = c->owes == OWES_GREETING;
	json_t *reply = NULL;
	int rc = greeting ? drb_telemetry_greeted(&c->telemetry)
			  : drb_telemetry_take(&c->telemetry,
					       c->owes == OWES_INFO ? DRB_CMD_INFO : DRB_CMD_ALL,
					       &reply);

	if (rc == -ETIMEDOUT)
		return;
	if (rc < 0 && rc != -EOPNOTSUPP) {
		fail(c, rc);
	} else if (greeting || c->old) { // a reply to an earlier round is too old: ask again
		c->begun_ns = drb_clock_now();
		snapshot_ask(c);
	} else if (c->owes == OWES_INFO) {
		take_info(c, rc, reply);
	} else {
		take_all(c, rc, reply);
	}
	json_decref(reply);
}

static bool awaited(const struct metrics_connection *c)
{
	return c->begun && !c->ended && !c->silent;
}

// Asks as many further switches as the limit allows. *next is the first switch not yet asked.
static void begin_some(struct metrics_connection *all, size_t count, size_t *next)
{
	const uint64_t now = drb_clock_now();
	size_t asked = 0;

	for (size_t i = 0; i < *next; i++)
		asked += awaited(&all[i]) && now - all[i].begun_ns < SLOW_NS;
	for (; *next < count && asked < AT_A_TIME; (*next)++) {
		struct metrics_connection *c = &all[*next];
		c->begun = true;
		c->begun_ns = now;
		reading_begin(c);
		asked += awaited(c);
	}
}

// Gives up on switches whose timeout has passed, and repeats failed attempts to connect. Returns
// the time to wait for answers, in ms. -1: no answer is awaited.
static int look_at_time(struct metrics_connection *all, size_t begun, size_t count,
			uint32_t timeout_ms)
{
	const uint64_t now = drb_clock_now();
	int wait = -1;

	for (size_t i = 0; i < begun; i++) {
		struct metrics_connection *c = &all[i];
		const uint64_t passed_ms = (now - c->begun_ns) / 1000000;
		if (awaited(c) && passed_ms >= timeout_ms) {
			c->silent = true;
			continue;
		}
		if (!awaited(c))
			continue;
		int left = (int)(timeout_ms - passed_ms);
		if (c->owes == OWES_NOTHING) { // not connected yet
			left = RETRY_MS;
			reading_begin(c);
		}
		wait = wait < 0 || left < wait ? left : wait;
	}
	return begun < count && wait > (int)(SLOW_NS / 1000000) ? (int)(SLOW_NS / 1000000) : wait;
}

// Waits up to wait_ms for answers and reads them.
static void take_answers(struct metrics_connection *all, size_t begun, struct pollfd *fds,
			 int wait_ms)
{
	for (size_t i = 0; i < begun; i++) {
		const bool owes = !all[i].ended && all[i].owes != OWES_NOTHING;
		fds[i] = (struct pollfd){.fd = owes ? all[i].telemetry.fd : -1, .events = POLLIN};
	}
	if (poll(fds, begun, wait_ms) <= 0)
		return;
	for (size_t i = 0; i < begun; i++) {
		if (fds[i].revents)
			go_on(&all[i]);
	}
}

void metrics_ask(struct metrics_connection *all, size_t count, uint32_t timeout_ms)
{
	struct pollfd *fds = calloc(count ? count : 1, sizeof(*fds));
	size_t begun = 0;
	int wait = 0; // the first poll() only finds what has arrived since the last round

	for (size_t i = 0; i < count; i++) {
		struct metrics_connection *c = &all[i];
		c->begun = c->ended = c->fresh = false;
		c->old = c->owes != OWES_NOTHING;
		c->error = fds ? -ETIMEDOUT : -ENOMEM;
	}
	while (fds && (wait >= 0 || begun < count)) {
		begin_some(all, count, &begun);
		take_answers(all, begun, fds, wait < 0 ? 0 : wait);
		wait = look_at_time(all, begun, count, timeout_ms);
	}
	free(fds);
}

void metrics_connection_close(struct metrics_connection *c)
{
	drb_telemetry_close(&c->telemetry);
	drb_switch_all_free(&c->all);
}
