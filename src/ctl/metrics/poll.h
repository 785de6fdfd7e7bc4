// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Everything that the switches of this machine report over their stats sockets, read at once for a metrics
// reply. Switches are asked in parallel and once each, so that a reply is of one instant. A switch that hangs
// is waited for only in its first poll (ask.h).

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/telemetry/switch_reader.h"

// How long those who poll again and again may be held up by a switch that begins to hang.
#define METRICS_TIMEOUT_MS 500

struct metrics_switch {
	char fabric[DRB_FABRIC_MAX + 1], name[DRB_NAME_MAX];
	uint32_t layer, label;
	int error; // 0, or the negative errno that kept it from answering: `all` is empty then. -ENOENT:
		// it ended in order
	struct drb_switch_all all; // owned
};

struct metrics_poll {
	uint64_t time_ns, unix_ms;       // CLOCK_MONOTONIC and wall clock when they were asked
	struct metrics_switch *switches; // by fabric, layer and label; owned
	size_t count;
};

struct metrics_connection;
struct metrics_known;

// Connections that stay open from one poll to the next, and who has answered.
struct metrics_poller {
	// Set by its owner.
	const char *runtime; // NULL: the places where EAL puts sockets
	const char *fabric;  // NULL: all
	uint32_t timeout_ms; // of each switch
	// Private; zero at first.
	struct metrics_connection *connections;
	size_t count;
	struct metrics_known *known; // switches that have answered, of the fabrics that are there
	size_t known_count;
	bool failed; // the last poll
};

// A switch that was killed left a socket and is listed with its error. So is one that ended in order, as long as a
// switch of its fabric has a socket, if it has answered this poller earlier; or as topo/fabric stopped it. Processes
// that are no drbswitch are not listed. 0 or a negative errno, which is said once, until a poll succeeds again.
int metrics_poll(struct metrics_poller *poller, struct metrics_poll *poll);
void metrics_poll_free(struct metrics_poll *poll);
void metrics_poller_close(struct metrics_poller *poller);
