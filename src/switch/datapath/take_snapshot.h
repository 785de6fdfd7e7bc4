// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switch/datapath/worker/worker.h"

// The worker's side of drb_worker_ask_snapshot(): fills w->shared.snapshot.
void drb_worker_take_snapshot(struct drb_worker *w);
