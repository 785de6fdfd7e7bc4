// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "switch/datapath/worker/worker.h"

// Decides on the packets of a burst that came in by port `in`, and queues, answers or drops them.
// packets are the worker's from now on. count: up to DRB_BURST_MAX.
void drb_forward_burst(struct drb_worker *w, uint32_t in, struct rte_mbuf **packets,
		       uint32_t count);
