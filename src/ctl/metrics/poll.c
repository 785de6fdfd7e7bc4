// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/metrics/poll.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

// Switches asked at a time. A switch answers within a millisecond unless it hangs.
#define THREADS 16

struct job {
	const struct drb_switch_socket *sockets;
	struct metrics_switch *switches;
	size_t count;
	uint32_t timeout_ms;
	atomic_size_t next; // the next switch to ask; taken by the threads
};

static int read_ports(struct drb_telemetry *t, struct metrics_switch *s)
{
	struct drb_switch_ports ports;
	int rc = drb_read_ports(t, &ports);

	if (rc < 0)
		return rc;
	s->ports = calloc(ports.count, sizeof(*s->ports));
	rc = s->ports || ports.count == 0 ? 0 : -ENOMEM;
	for (uint32_t i = 0; rc == 0 && i < ports.count; i++) {
		s->ports[i].port = ports.port[i];
		rc = drb_read_link(t, ports.port[i].name, &s->ports[i].link);
		s->port_count += rc == 0;
	}
	drb_switch_ports_free(&ports);
	return rc;
}

static int read_switch(struct drb_telemetry *t, struct metrics_switch *s)
{
	int rc;

	if ((rc = drb_read_info(t, &s->info)) < 0 || (rc = drb_read_routing(t, &s->routing)) < 0 ||
	    (rc = drb_read_drops(t, &s->drops)) < 0 ||
	    (rc = drb_read_differences(t, &s->differences)) < 0 ||
	    (rc = drb_read_worker(t, &s->worker)) < 0)
		return rc;
	return read_ports(t, s);
}

static void ask(const struct drb_switch_socket *socket, uint32_t timeout_ms,
		struct metrics_switch *s)
{
	struct drb_telemetry t;

	snprintf(s->fabric, sizeof(s->fabric), "%s", socket->fabric);
	drb_node_name(s->name, socket->layer, socket->label);
	s->layer = socket->layer;
	s->label = socket->label;
	s->error = drb_telemetry_open(&t, socket->path, timeout_ms);
	if (s->error < 0)
		return;
	s->error = read_switch(&t, s);
	drb_telemetry_close(&t);
}

static void *work(void *arg)
{
	struct job *job = arg;
	size_t i;

	while ((i = atomic_fetch_add(&job->next, 1)) < job->count)
		ask(&job->sockets[i], job->timeout_ms, &job->switches[i]);
	return NULL;
}

static void run(struct job *job)
{
	pthread_t thread[THREADS];
	size_t started = 0;

	while (started < THREADS && started + 1 < job->count &&
	       pthread_create(&thread[started], NULL, work, job) == 0)
		started++;
	work(job);
	while (started > 0)
		pthread_join(thread[--started], NULL);
}

// Other DPDK processes, whose name happens to be that of a switch, know no command of ours.
static void leave_out_others(struct metrics_poll *poll)
{
	size_t kept = 0;

	for (size_t i = 0; i < poll->count; i++) {
		if (poll->switches[i].error == -EOPNOTSUPP)
			free(poll->switches[i].ports);
		else
			poll->switches[kept++] = poll->switches[i];
	}
	poll->count = kept;
}

int metrics_poll(const char *runtime, const char *fabric, uint32_t timeout_ms,
		 struct metrics_poll *poll)
{
	struct drb_switch_socket *sockets;
	size_t count;
	int rc = drb_telemetry_scan(runtime, fabric, &sockets, &count);

	*poll = (struct metrics_poll){0};
	if (rc < 0)
		return rc;
	poll->switches = calloc(count ? count : 1, sizeof(*poll->switches));
	if (poll->switches) {
		struct job job = {sockets, poll->switches, count, timeout_ms, 0};
		poll->count = count;
		run(&job);
		leave_out_others(poll);
	}
	free(sockets);
	return poll->switches ? 0 : -ENOMEM;
}

void metrics_poll_free(struct metrics_poll *poll)
{
	for (size_t i = 0; i < poll->count; i++)
		free(poll->switches[i].ports);
	free(poll->switches);
	*poll = (struct metrics_poll){0};
}
