// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Requests of other threads to a running worker: wake up, stop, confirm that it runs, make a
// change. The worker serves them between two iterations of its loop.

#include "switch/datapath/worker/worker.h"
#include "switch/ports/change.h"

// Asks the loop to end.
void drb_worker_stop(struct drb_worker *w);
// Wakes the worker if it sleeps; any thread.
void drb_worker_kick(struct drb_worker *w);
// Asks the loop to confirm that it runs. Any thread. Returns the number of this request, for
// drb_worker_has_answered().
unsigned drb_worker_ask(struct drb_worker *w);
bool drb_worker_has_answered(const struct drb_worker *w, unsigned request);
// Asks the loop for a snapshot of all counters. Call in the control thread, once the snapshot
// before is complete.
void drb_worker_ask_snapshot(struct drb_worker *w);
// True if w->shared.snapshot answers the last request.
bool drb_worker_has_snapshot(const struct drb_worker *w);
// Has the loop make a change, or only confirm that it runs (NULL). Call in the control thread
// (changes.c), once the change before is made.
void drb_worker_post(struct drb_worker *w, struct drb_change *change);
// True if every posted change is made.
bool drb_worker_has_changed(const struct drb_worker *w);

// The worker's side: confirms that it runs.
void drb_worker_answer(struct drb_worker *w);
// The worker's side: makes the change that was posted.
void drb_worker_make_change(struct drb_worker *w);
// The worker's side: wakes the control thread, which then checks what was done.
void drb_worker_tell(const struct drb_worker *w);
