// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What other threads ask of a worker that runs: to wake up, to stop, to pause. The worker answers
// between two iterations of its loop.

#include "switch/datapath/worker/worker.h"

// How often a parked worker and the thread that parks it look at each other.
#define DRB_PARK_LOOK_NS 20000

// Asks the loop to end; async-signal-safe.
void drb_worker_stop(struct drb_worker *w);
// Wakes the worker if it sleeps; any thread, async-signal-safe.
void drb_worker_kick(struct drb_worker *w);
// Asks the loop to answer that it goes on: `beat` becomes `beat_wanted`. Any thread.
void drb_worker_ask(struct drb_worker *w);
// Asks the loop to pause between two iterations, where it touches nothing of its ports or tables, until
// drb_worker_unpark(). order: not 0, another one each time. For threads that are not workers, one at a time
// (drb_workers_park()).
void drb_worker_park(struct drb_worker *w, unsigned order);
// Whether it does. A worker that does not run now begins parked.
bool drb_worker_is_parked(const struct drb_worker *w, unsigned order);
void drb_worker_unpark(struct drb_worker *w);

// The worker's side: pauses until it is unparked.
void drb_worker_wait_parked(struct drb_worker *w);
// The worker's side: it goes on.
void drb_worker_answer(struct drb_worker *w);
