// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/metrics/poll.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/cli/clock.h"

// Switches asked at a time. A switch answers within a millisecond unless it hangs.
#define THREADS 8

struct metrics_connection {
	struct drb_switch_socket socket;
	struct drb_telemetry telemetry; // fd -1: not open
};

struct job {
	struct metrics_poller *poller;
	struct metrics_switch *switches; // of each connection
	atomic_size_t next;              // the next switch to ask; taken by the threads
};

// A switch that was started again left the old connection dead: once more with a new one.
static int read_switch(struct metrics_connection *c, uint32_t timeout_ms,
		       struct drb_switch_all *all)
{
	bool was_open = c->telemetry.fd >= 0;
	int rc = was_open ? 0 : drb_telemetry_open(&c->telemetry, c->socket.path, timeout_ms);

	if (rc == 0)
		rc = drb_read_all(&c->telemetry, all);
	if (rc == -ECONNRESET && was_open)
		return read_switch(c, timeout_ms, all);
	return rc;
}

static void ask(struct metrics_connection *c, uint32_t timeout_ms, struct metrics_switch *s)
{
	snprintf(s->fabric, sizeof(s->fabric), "%s", c->socket.fabric);
	drb_node_name(s->name, c->socket.layer, c->socket.label);
	s->layer = c->socket.layer;
	s->label = c->socket.label;
	s->error = read_switch(c, timeout_ms, &s->all);
}

static void *work(void *arg)
{
	struct job *job = arg;
	size_t i;

	while ((i = atomic_fetch_add(&job->next, 1)) < job->poller->count)
		ask(&job->poller->connections[i], job->poller->timeout_ms, &job->switches[i]);
	return NULL;
}

static void run(struct job *job)
{
	pthread_t thread[THREADS];
	size_t started = 0;

	while (started < THREADS && started + 1 < job->poller->count &&
	       pthread_create(&thread[started], NULL, work, job) == 0)
		started++;
	work(job);
	while (started > 0)
		pthread_join(thread[--started], NULL);
}

// The open connection to a socket moves to its new place.
static struct drb_telemetry take_connection(struct metrics_poller *poller, const char *path)
{
	struct drb_telemetry none = {.fd = -1};

	for (size_t i = 0; i < poller->count; i++) {
		struct metrics_connection *c = &poller->connections[i];
		if (strcmp(c->socket.path, path) != 0)
			continue;
		struct drb_telemetry found = c->telemetry;
		c->telemetry = none;
		return found;
	}
	return none;
}

// Connections for the sockets that are there now.
static int look_for_switches(struct metrics_poller *poller)
{
	struct drb_switch_socket *sockets;
	size_t count;
	int rc = drb_telemetry_scan(poller->runtime, poller->fabric, &sockets, &count);

	if (rc < 0)
		return rc;
	struct metrics_connection *connections = calloc(count ? count : 1, sizeof(*connections));
	for (size_t i = 0; connections && i < count; i++) {
		connections[i].socket = sockets[i];
		connections[i].telemetry = take_connection(poller, sockets[i].path);
	}
	free(sockets);
	if (!connections)
		return -ENOMEM;
	metrics_poller_close(poller);
	poller->connections = connections;
	poller->count = count;
	return 0;
}

// Other DPDK processes, whose name happens to be that of a switch, know no command of ours.
static void leave_out_others(struct metrics_poll *poll)
{
	size_t kept = 0;

	for (size_t i = 0; i < poll->count; i++) {
		if (poll->switches[i].error != -EOPNOTSUPP)
			poll->switches[kept++] = poll->switches[i];
	}
	poll->count = kept;
}

int metrics_poll(struct metrics_poller *poller, struct metrics_poll *poll)
{
	*poll = (struct metrics_poll){0};
	int rc = look_for_switches(poller);
	if (rc < 0)
		return rc;
	poll->switches = calloc(poller->count ? poller->count : 1, sizeof(*poll->switches));
	if (!poll->switches)
		return -ENOMEM;
	struct job job = {poller, poll->switches, 0};
	poll->count = poller->count;
	run(&job);
	poll->time_ns = drb_clock_now();
	poll->unix_ms = drb_clock_ns(CLOCK_REALTIME) / 1000000;
	leave_out_others(poll);
	return 0;
}

void metrics_poll_free(struct metrics_poll *poll)
{
	for (size_t i = 0; i < poll->count; i++)
		drb_switch_all_free(&poll->switches[i].all);
	free(poll->switches);
	*poll = (struct metrics_poll){0};
}

void metrics_poller_close(struct metrics_poller *poller)
{
	for (size_t i = 0; i < poller->count; i++)
		drb_telemetry_close(&poller->connections[i].telemetry);
	free(poller->connections);
	poller->connections = NULL;
	poller->count = 0;
}
