// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switch/datapath/worker/burst.h"
#include "switch/datapath/worker/decide_state.h"
#include "switch/datapath/worker/egress_set.h"

// Packet unit: decides where each packet of a burst goes, and writes it to b->class. fits: every
// queue has space for the whole burst.
void drb_decide_burst(struct drb_decide_state *s, const struct drb_egress_set *e,
		      struct drb_burst *b, bool fits);
