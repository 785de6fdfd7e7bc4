// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Finds the ports whose links are full, from two readings of each switch.

#include <stdint.h>

#include "common/telemetry/switch_reader.h"

#define HOT_SPOTS_MAX 3

struct hot_spot {
	char port[2 * DRB_NAME_MAX]; // "s1-0.u1"
	double load;                 // packets or bits sent, as a share of its rate: 0 to 1
	double slowed;   // share of time that packets waited because the switch woke too late
	uint64_t queued; // packets now
};

// The hottest ports come first. Slowed links, which are full but send less than their rate, precede
// other full links. Within each kind, longer queues come first.
struct hot_spots {
	struct hot_spot at[HOT_SPOTS_MAX];
	uint32_t count, more; // more: full links that are not in `at`
};

// Adds the ports of a switch whose links were full between two readings. Returns the largest
// `slowed` of its links; NaN if the switch does not report it.
double hot_spots_add(struct hot_spots *hot, const struct drb_switch_all *before,
		     const struct drb_switch_all *now);
// Prints a line such as "hot spots: s1-0.u1 sends at 67 % of its rate for want of CPU time, 512
// queued"; nothing if there is no hot spot.
void hot_spots_print(const struct hot_spots *hot);
