// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The figures of `drbsim paper` as CSV files.

#include "sim/paper/paper.h"

// Writes DIR/*.csv; all points are done.
void paper_csv(const struct paper *p);
