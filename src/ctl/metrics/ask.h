// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Asks many switches for everything they report, in one thread and over connections that stay open.
// A switch that misses its timeout still owes the reply. Later rounds read this reply when it
// arrives, but do not wait for it.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/telemetry/switch_reader.h"

struct metrics_connection {
	struct drb_switch_socket
		socket; // set by the owner, who also sets telemetry.fd to -1 and the rest to zero
	// Result of the last round: 0 and `all`, which the owner may take over, or a negative
	// errno. -EAGAIN, -EIO, -ETIMEDOUT: `all` may have its info.
	int error;
	struct drb_switch_all all; // owned
	// Private.
	struct drb_telemetry telemetry;
	enum metrics_debt { OWES_NOTHING, OWES_GREETING, OWES_ANSWER, OWES_INFO } owes;
	int why;           // OWES_INFO: the error of the request for everything
	bool silent;       // it missed its timeout: no round waits for it
	bool old;          // it owes a greeting or a reply from an earlier round
	bool begun, ended; // in this round
	bool fresh;        // connected in this round
	uint64_t begun_ns;
	bool complained; // the owner has reported that the replies cannot be understood
};

// Does one round. The timeout of each switch begins when it is asked.
void metrics_ask(struct metrics_connection *connections, size_t count, uint32_t timeout_ms);
void metrics_connection_close(struct metrics_connection *c);
