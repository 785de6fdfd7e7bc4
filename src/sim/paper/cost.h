// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What the points of `drbsim paper` take: estimated before, to begin with the longest, and measured.

#include "sim/paper/paper.h"

// About how long a point takes, in packets that cross a link.
double paper_estimate(const struct paper_point *point);

// The part that a point is of: "persistent F(3,8)", "theory", ...
#define PAPER_COST_NAME 32
void paper_part_of(const struct paper_point *point, char name[PAPER_COST_NAME]);

// What the points of one part took.
#define PAPER_COSTS 12
struct paper_cost {
	char name[PAPER_COST_NAME];
	uint32_t points;
	double cpu, longest; // seconds, of all and of one
};

// Returns how many parts there are.
uint32_t paper_costs(const struct paper *p, struct paper_cost cost[PAPER_COSTS]);
