// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Snapshots for replies. The event loop does not wait for a worker that gets no CPU; requests wait. One
// snapshot serves all requests that came before it was taken.

#include "switch/datapath/worker/snapshot.h"

struct drb_snapshots {
	uint64_t asked,
		over;    // numbers: of the last one, of the last that is not waited for any more
	uint64_t end_ns; // when the last one is not waited for any more
	int rc;          // of the last that is over; -EAGAIN: workers do not run; -ETIMEDOUT
	struct drb_snapshot last; // if that is 0
};

// For the stats socket, whose context is a struct drb_switch: whether a snapshot for this request is over. *number: which
// one that is; 0 at first.
bool drb_snapshots_serve(uint64_t *number, void *context);
