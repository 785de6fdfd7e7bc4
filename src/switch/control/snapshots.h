// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Snapshots for replies. Requests wait until all workers have answered; the event loop does not
// wait. One snapshot serves all requests that came before it was begun.

#include <event2/event.h>

#include "switch/datapath/worker/snapshot.h"

struct drb_switch;

struct drb_snapshots {
	uint64_t asked,
		over; // number of the last snapshot begun; of the last one that succeeded or failed
	int rc;       // of snapshot `over`; -EAGAIN: workers do not run; -ETIMEDOUT
	struct drb_snapshot last; // valid if rc is 0
	struct event *due;        // timeout of the snapshot under way
};

int drb_snapshots_open(struct drb_switch *s);
void drb_snapshots_close(struct drb_switch *s);
// Called when workers may have answered. Sends the replies that waited for them.
void drb_snapshots_look(struct drb_switch *s);

// The ready() of commands that need a snapshot (stats_socket.h); the context is a struct
// drb_switch. True if the snapshot for this request succeeded or failed. *number identifies it, and
// is 0 at first.
bool drb_snapshots_serve(uint64_t *number, void *context);
