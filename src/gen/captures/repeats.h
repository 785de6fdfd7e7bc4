// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Packets that are in captures more than once, because they were captured at several places. Pure but for
// memory.
//
// Of packets that are alike, as many were sent as were captured at the place that has most of them.

#include <stdint.h>

#include "gen/captures/trace.h"

struct repeats {
	uint64_t
		taken_out; // captured at another port of a switch before: we know that it is the same packet
	uint64_t left; // likewise at another interface or in another file, where nobody knows
};

// Takes the former out of the trace, in the order in which it was read. 0 or -ENOMEM.
int repeats_take_out(struct trace *t, struct repeats *found);
