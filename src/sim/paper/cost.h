// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What the points of `drbsim paper` take: estimated before, to begin with the longest; and the
// parts of the report that they are of.

#include "sim/paper/paper.h"

// About how long a point takes, in packets that cross a link.
double paper_estimate(const struct paper_point *point);

// The part that a point is of: "persistent F(3,8)", "theory", ...
#define PAPER_COST_NAME 32
void paper_part_of(const struct paper_point *point, char name[PAPER_COST_NAME]);
// Dies unless a part of the plan has this name.
void paper_check_part(const struct paper *p, const char *name);
