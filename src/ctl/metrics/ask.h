// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Asks many switches for everything they report, in one thread and over connections that stay open. A switch
// that misses its time still owes the reply: later rounds read it when it comes, but do not wait.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/telemetry/switch_reader.h"

struct metrics_connection {
	struct drb_switch_socket
		socket; // set by the owner; all else is zero at first, but for telemetry.fd -1
	// What came of the last round: 0 and `all`, which the owner may take away, or a negative errno.
	int error;
	struct drb_switch_all all; // owned
	// Private.
	struct drb_telemetry telemetry;
	enum metrics_debt { OWES_NOTHING, OWES_GREETING, OWES_ANSWER } owes;
	bool silent;       // it owes something from an earlier round
	bool old;          // what it owes was asked in an earlier round
	bool begun, ended; // of this round
	bool fresh;        // connected in this round
	uint64_t begun_ns;
};

// One round: each switch has timeout_ms from when it is asked.
void metrics_ask(struct metrics_connection *connections, size_t count, uint32_t timeout_ms);
void metrics_connection_close(struct metrics_connection *c);
