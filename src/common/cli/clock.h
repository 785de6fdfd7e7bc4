// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Clocks in ns.

#include <stdint.h>
#include <time.h>

static inline int64_t drb_clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline uint64_t drb_clock_now(void)
{
	return (uint64_t)drb_clock_ns(CLOCK_MONOTONIC);
}

// CLOCK_MONOTONIC minus CLOCK_REALTIME. The wall clock is read between two readings of the
// monotonic clock. The tightest of three tries is within tens of ns.
static inline int64_t drb_clock_monotonic_offset(void)
{
	int64_t best = 0, width = INT64_MAX;

	for (int i = 0; i < 3; i++) {
		int64_t before = drb_clock_ns(CLOCK_MONOTONIC);
		int64_t wall = drb_clock_ns(CLOCK_REALTIME);
		int64_t after = drb_clock_ns(CLOCK_MONOTONIC);
		if (after - before < width) {
			width = after - before;
			best = before + width / 2 - wall;
		}
	}
	return best;
}

static inline void drb_clock_sleep_until(uint64_t ns)
{
	struct timespec t = {.tv_sec = (time_t)(ns / 1000000000),
			     .tv_nsec = (long)(ns % 1000000000)};

	// Only signals interrupt the sleep. Their handlers set a flag that the caller checks.
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}
