// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A change of the state of workers. Each worker makes it itself, between two iterations of its
// loop, and continues at once: workers do not wait for one another. datapath/changes.h posts it.

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

struct drb_worker;

struct drb_change {
	// Called by worker n to make the change. It must not allocate, free or wait. It may print,
	// because messages go to the log writer without waiting.
	void (*make)(struct drb_worker *w, uint32_t n, void *context);
	// Called once by the control thread, in its event loop. The caller then owns the change and
	// its context again.
	//   0           Every worker has made the change, and none uses the old state.
	//   -ETIMEDOUT  A worker is stuck or gets no CPU. No worker has made the change.
	void (*done)(void *context, int rc);
	void *context;
	bool patient; // waits for stuck workers without a limit, so done() always gets 0
	bool sockets; // sockets of ports change, so no worker sleeps on them meanwhile
	// For datapath/changes.c.
	uint64_t end_ns;
	TAILQ_ENTRY(drb_change) link;
};
