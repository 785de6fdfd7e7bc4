// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Counts of the packets of a run, from any sink (see sink.h).

#include <stdint.h>

#include "common/measures/reordering.h"

struct tally {
	uint64_t received;     // packets of this run that arrived anywhere
	uint64_t delivered;    // distinct packets that arrived at their destination
	uint64_t duplicated;   // arrived at their destination again
	uint64_t misdelivered; // arrived at another host than their destination
	uint64_t reordered;    // among all packets
	uint64_t strangers;    // arrived, but belong to no run or another one
	// These arrived before they left, by two clocks, and have no latency.
	uint64_t backwards;
	uint64_t receiver_dropped;   // arrived, but the receiving socket was full
	struct drb_reordering order; // only packets whose latencies are kept
	uint64_t first_ns, last_ns; // CLOCK_MONOTONIC of the first and last delivery; measured runs
};
