// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switch/datapath/worker/worker.h"

// The forwarding thread: receives, forwards and transmits until drb_worker_stop().
void drb_worker_run(struct drb_worker *w);
