// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Frames that are not ordinary traffic between hosts, or that came in by a wrong port. They are
// answered, read as hellos, sent on a detour, or dropped for a named reason.

#include "switch/datapath/worker/burst.h"
#include "switch/datapath/worker/worker.h"

// Handles the first count frames of b->exception. Hellos do not count as packets, so they are
// subtracted from b->counters.
void drb_exceptions(struct drb_worker *w, struct drb_burst *b, uint32_t count);
