// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The study of traffic that persists: schemes side by side at many places, a place being a fabric under
// some traffic at some load, each with several seeds. Equal seeds give all schemes the same traffic.

#include "sim/paper/paper.h"

#define PAPER_STUDIED_TREES 5
extern const uint32_t paper_studied[PAPER_STUDIED_TREES]
				   [2]; // the first of which the quick plan has

void paper_plan_study(struct paper *p);
