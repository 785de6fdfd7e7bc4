// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What other threads ask of a worker that runs: to wake up, to stop, to pause. The worker answers
// between two iterations of its loop.

#include "switch/datapath/worker/worker.h"

// Asks the loop to end; async-signal-safe.
void drb_worker_stop(struct drb_worker *w);
// Wakes the worker if it sleeps; any thread, async-signal-safe.
void drb_worker_kick(struct drb_worker *w);
// Has the loop pause between two iterations, where it touches nothing of its ports or tables, until
// drb_worker_unpark(); returns once it does. order: not 0, another one each time. A worker that does not
// run now begins parked. For threads that are not workers, one at a time (drb_workers_park()). 0, or
// -ETIMEDOUT if it goes on beyond end_ns; it is to be unparked then, too.
int drb_worker_park(struct drb_worker *w, unsigned order, uint64_t end_ns);
void drb_worker_unpark(struct drb_worker *w);

// The worker's side: pauses until it is unparked.
void drb_worker_wait_parked(struct drb_worker *w);
// The worker's side: it goes on (heartbeat.h).
void drb_worker_answer(struct drb_worker *w);
