// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Frames that are not ordinary traffic between hosts, or not where they should be: answered, read as hellos,
// sent on a detour, or dropped for a named reason.

#include "switch/datapath/worker/burst.h"
#include "switch/datapath/worker/worker.h"

// Sees to b->exception. Hellos count as no packets: takes them out of b->counters.
void drb_exceptions(struct drb_worker *w, struct drb_burst *b, uint32_t count);
