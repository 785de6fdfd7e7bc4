// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/metrics/poll.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/cli/clock.h"
#include "common/cli/file_limit.h"
#include "common/cli/log.h"
#include "ctl/metrics/ask.h"
#include "ctl/metrics/ended.h"

// File descriptors that a process has open besides its connections to switches.
#define FILES_BESIDE 16

// Moves the open connection to this socket out of the poller. Without one, returns a new entry.
static struct metrics_connection take_connection(struct metrics_poller *poller,
						 const struct drb_switch_socket *socket)
{
	const struct metrics_connection none = {.socket = *socket, .telemetry = {.fd = -1}};

	for (size_t i = 0; i < poller->count; i++) {
		struct metrics_connection *c = &poller->connections[i];
		if (strcmp(c->socket.path, socket->path) != 0)
			continue;
		struct metrics_connection found = *c;
		*c = none;
		return found;
	}
	return none;
}

bool metrics_wants(const struct metrics_poller *poller, const char *fabric, uint32_t layer,
		   uint32_t label)
{
	char instance[DRB_NAME_MAX];

	drb_instance_name(instance, fabric, layer, label);
	for (size_t i = 0; i < poller->only_count; i++) {
		if (strcmp(poller->only[i], instance) == 0)
			return true;
	}
	return poller->only_count == 0;
}

static size_t keep_wanted(const struct metrics_poller *poller, struct drb_switch_socket *sockets,
			  size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		const struct drb_switch_socket *s = &sockets[i];
		if (metrics_wants(poller, s->fabric, s->layer, s->label))
			sockets[kept++] = *s;
	}
	return kept;
}

// Makes the list of connections match the sockets that exist now.
static int look_for_switches(struct metrics_poller *poller)
{
	struct drb_switch_socket *sockets;
	size_t count;
	char what[32];
	int rc = drb_telemetry_scan(poller->runtime, poller->fabric, &sockets, &count);

	if (rc < 0)
		return rc;
	count = keep_wanted(poller, sockets, count);
	snprintf(what, sizeof(what), "%zu switches", count);
	rc = drb_files_need(count + FILES_BESIDE, what, !poller->failed);
	struct metrics_connection *connections =
		rc < 0 ? NULL : calloc(count ? count : 1, sizeof(*connections));
	for (size_t i = 0; connections && i < count; i++)
		connections[i] = take_connection(poller, &sockets[i]);
	free(sockets);
	if (!connections)
		return rc < 0 ? rc : -ENOMEM;
	for (size_t i = 0; i < poller->count; i++)
		metrics_connection_close(&poller->connections[i]);
	free(poller->connections);
	poller->connections = connections;
	poller->count = count;
	return 0;
}

// Reports once that the replies of a switch, perhaps of another version, are not understood.
static void complain(struct metrics_connection *c)
{
	char text[DRB_TELEMETRY_TEXT_MAX];

	if (c->complained || (c->error != -EPROTO && c->error != -EPROTONOSUPPORT))
		return;
	drb_telemetry_explain(c->error, c->telemetry.version, text);
	drb_error("%s: %s", c->socket.instance, text);
	c->complained = true;
}

// True if a switch reports the identity that the folder of its socket is named after.
static bool is_itself(const struct metrics_connection *c)
{
	const struct drb_switch_info *info = &c->all.info;

	return info->layer == c->socket.layer && info->label == c->socket.label &&
	       strcmp(info->fabric, c->socket.fabric) == 0;
}

// Moves the result of the last round into the poll.
static void round_take(struct metrics_connection *c, struct metrics_switch *s)
{
	memcpy(s->fabric, c->socket.fabric, sizeof(s->fabric));
	drb_node_name(s->name, c->socket.layer, c->socket.label);
	s->layer = c->socket.layer;
	s->label = c->socket.label;
	if (c->error == 0 && !is_itself(c))
		c->error = -EPROTO;
	s->error = c->error;
	complain(c);
	if (c->error == -EPROTO) {
		drb_switch_all_free(&c->all);
		return;
	}
	s->all = c->all;
	c->all = (struct drb_switch_all){0};
}

// Leaves out other DPDK processes whose name happens to be that of a switch. They know no commands
// of drbswitch.
static void leave_out_others(struct metrics_poll *poll)
{
	size_t kept = 0;

	for (size_t i = 0; i < poll->count; i++) {
		if (poll->switches[i].error != -EOPNOTSUPP)
			poll->switches[kept++] = poll->switches[i];
	}
	poll->count = kept;
}

static int poll_all(struct metrics_poller *poller, struct metrics_poll *poll)
{
	*poll = (struct metrics_poll){0};
	int rc = look_for_switches(poller);
	if (rc < 0)
		return rc;
	poll->switches = calloc(poller->count ? poller->count : 1, sizeof(*poll->switches));
	if (!poll->switches)
		return -ENOMEM;
	poll->count = poller->count;
	// The time is read before switches are asked. A silent switch delays the end of the poll,
	// but not the answers of the others.
	poll->time_ns = drb_clock_now();
	poll->unix_ms = drb_clock_ns(CLOCK_REALTIME) / 1000000;
	metrics_ask(poller->connections, poller->count, poller->timeout_ms);
	for (size_t i = 0; i < poll->count; i++)
		round_take(&poller->connections[i], &poll->switches[i]);
	leave_out_others(poll);
	rc = metrics_add_ended(poller, poll);
	ctl_states_find(poll);
	if (rc < 0)
		metrics_poll_free(poll);
	return rc;
}

int metrics_poll(struct metrics_poller *poller, struct metrics_poll *poll)
{
	int rc = poll_all(poller, poll);

	if (rc < 0 && rc != -EMFILE && !poller->failed)
		drb_error("cannot search for switches: %s", strerror(-rc));
	poller->failed = rc < 0;
	return rc;
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
		metrics_connection_close(&poller->connections[i]);
	free(poller->connections);
	free(poller->known);
	free(poller->only);
	poller->only = NULL;
	poller->connections = NULL;
	poller->known = NULL;
	poller->count = poller->known_count = 0;
}
