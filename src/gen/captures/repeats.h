// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Packets that are in captures more than once, because they were captured at several points. Pure,
// apart from memory.
//
// If several packets are alike, the number that were sent is the largest number captured at one
// point.

#include <stdint.h>

#include "gen/captures/trace.h"

struct repeats {
	// Captured before at another port of a switch: certainly the same packet.
	uint64_t taken_out;
	// Captured before at another interface or in another file: perhaps the same packet.
	uint64_t left;
};

// Removes packets that were captured before at another port of a switch. The packets of the trace
// are in the order in which they were read. 0 or -ENOMEM.
int repeats_take_out(struct trace *t, struct repeats *found);
