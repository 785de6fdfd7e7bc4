// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Which runs `drbsim paper` makes.

#include "sim/paper/paper.h"

// Adds all points to p, or the few and short ones of p->quick.
void paper_plan(struct paper *p);
