// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switch/datapath/worker/burst.h"
#include "switch/datapath/worker/worker.h"

// Packet unit: says of each packet of a burst where it goes, in b->class. fits: every queue has room
// for all of them.
void drb_decide_burst(struct drb_worker *w, struct drb_burst *b, bool fits);
