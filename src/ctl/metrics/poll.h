// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A poll reads everything that the switches of this machine report over their stats sockets. It
// asks them in parallel and once each, so that all answers are of about the same time. A switch
// that hangs delays only the first poll that it misses (ask.h).

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/telemetry/switch_reader.h"

// Timeout for programs that poll repeatedly: the delay that a switch causes when it begins to hang.
#define METRICS_TIMEOUT_MS 500

struct metrics_switch {
	char fabric[DRB_FABRIC_MAX + 1], name[DRB_NAME_MAX];
	uint32_t layer, label;
	int error; // 0, or a negative errno if it did not answer, and `all` is empty; -ENOENT: it
		   // ended in order
	struct drb_switch_all all; // owned
};

struct metrics_poll {
	uint64_t time_ns, unix_ms;       // CLOCK_MONOTONIC and wall clock when the poll began
	struct metrics_switch *switches; // ordered by fabric, layer and label; owned
	size_t count;
};

struct metrics_connection;
struct metrics_known;

// Connections that stay open from one poll to the next, and the switches that have answered.
struct metrics_poller {
	// Set by its owner.
	const char *runtime; // NULL: the folders where EAL puts sockets
	const char *fabric;  // NULL: all
	uint32_t timeout_ms; // of each switch
	// Private; initially zero.
	struct metrics_connection *connections;
	size_t count;
	struct metrics_known *known; // switches that have answered, of the fabrics that exist
	size_t known_count;
	bool failed; // the last poll
};

// Polls all switches. A switch that was killed left a socket and is listed with its error. A switch
// that ended in order is listed with -ENOENT if topo/fabric stopped it. It is also listed if it
// has answered this poller and a switch of its fabric still has a socket. Processes other than
// drbswitch are not listed. Returns 0 or a negative errno, with a message unless the previous poll
// failed, too.
int metrics_poll(struct metrics_poller *poller, struct metrics_poll *poll);
void metrics_poll_free(struct metrics_poll *poll);
void metrics_poller_close(struct metrics_poller *poller);
