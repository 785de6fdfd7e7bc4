// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// DIR/report.html of `drbsim paper`.

#include "sim/paper/paper.h"

// Writes the report; all points are done and the pictures drawn.
void paper_report(const struct paper *p);
