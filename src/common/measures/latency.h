// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Mean and quantiles of latencies, in a live fabric (ns) and a simulated one (slots). Pure.

#include <stddef.h>
#include <stdint.h>

// All figures are NaN if nothing was measured.
struct drb_latency {
	uint64_t samples;
	double mean, p50, p99, p999, max;
	double tail; // mean over cohorts of the largest latency in the cohort
};

// Computes the latency of these samples and sorts them. All figures are NaN if count is 0. tail is
// not set.
struct drb_latency drb_latency_of(uint64_t *samples, size_t count);
