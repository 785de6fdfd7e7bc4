// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The ports of switches whose links are full, from two readings of each switch.

#include <stdint.h>

#include "common/telemetry/switch_reader.h"

#define HOT_SPOTS_MAX 3

struct hot_spot {
	char port[2 * DRB_NAME_MAX]; // "s1-0.u1"
	double load;                 // the part of its rate at which it sent, 0..1
	double slowed; // the part of the time in which packets waited and its switch, which woke too late, sent none
	uint64_t queued; // packets now
};

// The hottest first: links that are full though they send less than their rate, then the other full ones, each by
// their queues.
struct hot_spots {
	struct hot_spot at[HOT_SPOTS_MAX];
	uint32_t count, more; // more: full ones that are not kept
};

// The ports of a switch whose links were full from one reading to the next, ns later. The largest `slowed` of its links.
double hot_spots_add(struct hot_spots *hot, const struct drb_switch_all *before,
		     const struct drb_switch_all *now);
// A line: "hot spots: s1-0.u1 sends at 67 % of its rate for want of CPU time, 512 queued"; nothing if
// there is none.
void hot_spots_print(const struct hot_spots *hot);
