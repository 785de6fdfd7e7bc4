// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A poll reads everything that the switches of this machine report over their stats sockets. It
// asks all of them in parallel, once each, so that all answers are from about the same time. If a
// switch hangs, it delays only the first poll that it misses (ask.h).

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/telemetry/switch_reader.h"
#include "ctl/metrics/states.h"

// Timeout for programs that poll repeatedly. A switch that begins to hang delays one poll by it.
#define METRICS_TIMEOUT_MS 500

// The last act of topo/fabric on a switch.
enum metrics_record { METRICS_UNRECORDED, METRICS_STARTED, METRICS_STOPPED };

struct metrics_switch {
	char fabric[DRB_FABRIC_MAX + 1], name[DRB_NAME_MAX];
	uint32_t layer, label;
	// 0, or a negative errno. With an error, `all` has at most its `info`. -ENOENT: there is no
	// socket; -EAGAIN: the switch is starting; -EIO: it is stuck.
	int error;
	enum metrics_record record;
	uint64_t pid; // recorded; 0: none
	enum ctl_state state;
	uint64_t since_ms;         // wall clock; of dead and hung switches; 0: unknown
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
	const char *runtime;        // NULL: the folders where EAL puts sockets
	const char *fabric;         // NULL: all
	uint32_t timeout_ms;        // of each switch
	char (*only)[DRB_NAME_MAX]; // instances to ask; owned
	size_t only_count;          // 0: all
	// Private; initially zero.
	struct metrics_connection *connections;
	size_t count;
	struct metrics_known *known; // switches that have answered, of the fabrics that exist
	size_t known_count;
	bool failed; // the last poll
};

// Polls all switches. Also lists switches that do not run, if they left a socket, or if topo/fabric
// started or stopped them. A switch that has answered this poller is listed while a switch of its
// fabric has a socket. Processes other than drbswitch are not listed. Returns 0 or a negative
// errno, with a message unless the previous poll failed, too.
int metrics_poll(struct metrics_poller *poller, struct metrics_poll *poll);
void metrics_poll_free(struct metrics_poll *poll);
static inline bool metrics_is_one_fabric(const struct metrics_poll *poll)
{
	return poll->count == 0 ||
	       strcmp(poll->switches[0].fabric, poll->switches[poll->count - 1].fabric) == 0;
}
// True if the poller asks this switch.
bool metrics_wants(const struct metrics_poller *poller, const char *fabric, uint32_t layer,
		   uint32_t label);
void metrics_poller_close(struct metrics_poller *poller);
