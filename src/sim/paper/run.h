// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Runs the points of `drbsim paper`.

#include "sim/paper/paper.h"

// Runs what the journal in the directory does not hold yet, of p->part alone if there is one, adding to
// it. Under MPI only rank 0 returns.
void paper_run(struct paper *p);

// Points that are not done.
uint32_t paper_left(const struct paper *p);
