// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Requests of other threads to a running worker: wake up, stop, confirm that it runs, make a change. The
// worker serves them between two iterations of its loop.

#include "switch/datapath/worker/worker.h"

// Asks the loop to end.
void drb_worker_stop(struct drb_worker *w);
// Wakes the worker if it sleeps; any thread.
void drb_worker_kick(struct drb_worker *w);
// Asks the loop to answer that it goes on. Any thread. The number of this request, for
// drb_worker_has_answered().
unsigned drb_worker_ask(struct drb_worker *w);
bool drb_worker_has_answered(const struct drb_worker *w, unsigned request);
// Asks the loop for a snapshot of all counters. For the control thread, once it has the one before.
void drb_worker_ask_snapshot(struct drb_worker *w);
// w->snapshot is the one that was asked for last.
bool drb_worker_has_snapshot(const struct drb_worker *w);
// Has the loop make a change (drb_workers_apply()). For the control thread, once the change before is made.
void drb_worker_post(struct drb_worker *w, drb_worker_change *change, void *context);
// Every change that was posted is made.
bool drb_worker_has_changed(const struct drb_worker *w);

// The worker's side: it goes on.
void drb_worker_answer(struct drb_worker *w);
// The worker's side: makes the change that was posted.
void drb_worker_make_change(struct drb_worker *w);
