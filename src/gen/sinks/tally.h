// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What a run did to its packets, whoever counted it (see sink.h).

#include <stdint.h>

#include "common/measures/reordering.h"

struct tally {
	uint64_t received;           // packets of this run that arrived anywhere
	uint64_t delivered;          // distinct packets that arrived at their destination
	uint64_t duplicated;         // arrived at their destination once more
	uint64_t misdelivered;       // arrived at a host they are not for
	uint64_t reordered;          // of all packets
	uint64_t strangers;          // arrived, but not of this run
	uint64_t receiver_dropped;   // arrived, but the receiving socket was full
	struct drb_reordering order; // of the packets whose latencies are kept
	uint64_t first_ns, last_ns; // CLOCK_MONOTONIC of the first and last delivery; measured runs
};
