// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What a run did to its packets, whoever counted it (see sink.h).

#include <stdint.h>

struct tally {
	uint64_t received;     // packets of this run that arrived anywhere
	uint64_t delivered;    // distinct packets that arrived at their destination
	uint64_t duplicated;   // arrived at their destination once more
	uint64_t misdelivered; // arrived at a host they are not for
	uint64_t reordered;
	uint64_t strangers;         // arrived, but not of this run
	uint64_t receiver_dropped;  // arrived, but the receiving socket was full
	uint64_t first_ns, last_ns; // CLOCK_MONOTONIC of the first and last delivery; measured runs
};

// Latencies in ns from transmission to reception. NaN where nothing was measured.
struct latency {
	uint64_t samples;
	double mean, p50, p99, p999, max;
	double tail; // mean over cohorts of the largest latency in the cohort
};
