// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A consistent snapshot of the counters of a switch. A worker takes its struct drb_snapshot between
// two iterations of its loop, so packets are conserved in it exactly.

#include "core/counters.h"

#include "common/config/config.h"
#include "switch/datapath/worker/host_faults.h"
#include "switch/links/liveness.h"

struct drb_snapshot {
	uint64_t time_ns; // CLOCK_MONOTONIC
	struct drb_port_counters port[DRB_PORTS_MAX];
	struct drb_port_link live[DRB_PORTS_MAX]; // worker 0's, which keeps the state of all links
	bool more_outages;                        // more than hellos can carry; worker 0's
	struct drb_routing_counters routing;
	struct drb_worker_counters worker;
	uint64_t drop[DRB_DROP_COUNT];
	uint64_t host_faults[DRB_HOST_FAULT_COUNT]; // ports, a bit each
	uint64_t flows;                             // live now (flow unit)
	double threshold, utilisation;
	uint64_t difference[DRB_DIFFERENCES];
	uint64_t burst_size[DRB_LOG_BINS], queue_length[DRB_LOG_BINS];
};
