// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Computes when each packet of a trace is sent, also if the trace is repeated. Pure.

#include <stdint.h>

#include "gen/captures/trace.h"

enum schedule_mode {
	SCHEDULE_TIMES,   // at the times of the trace, divided by `multiplier`
	SCHEDULE_RATE,    // evenly, `rate` packets/s of all hosts together
	SCHEDULE_TOPSPEED // at once
};

struct schedule {
	enum schedule_mode mode;
	double multiplier; // > 0
	double rate;       // > 0
	uint64_t loops;    // >= 1; 0: without end
};

// The number of packets in all loops; UINT64_MAX without end.
static inline uint64_t schedule_count(const struct schedule *s, const struct trace *t)
{
	return t->count == 0 ? 0 : s->loops == 0 ? UINT64_MAX : s->loops * t->count;
}

// ns from the first packet's earliest time to packet k, counted over all loops. Times are computed
// from k, not added up, so that rounding does not grow with the length of the run. The gap between
// two loops is the mean gap of the trace, so that a repeated trace keeps its rate. Saturates at
// INT64_MAX.
uint64_t schedule_time(const struct schedule *s, const struct trace *t, uint64_t k);
