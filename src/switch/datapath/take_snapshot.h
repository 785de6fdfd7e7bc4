// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switch/datapath/worker/worker.h"

// For the control thread: a consistent snapshot of all counters into *out. 0, or -ETIMEDOUT if the
// worker does not answer within a second.
int drb_worker_snapshot(struct drb_worker *w, struct drb_snapshot *out);
// The worker's side: fills w->snapshot.
void drb_worker_take_snapshot(struct drb_worker *w);
