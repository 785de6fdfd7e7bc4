// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The study of dead links and switches on F(3,8): draws with one share of them dead.

#include "sim/paper/paper.h"

void paper_plan_faults(struct paper *p);
