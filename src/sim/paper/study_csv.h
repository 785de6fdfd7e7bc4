// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The places of the study, and what they say of each fabric.

#include "sim/paper/paper.h"

// Writes DIR/study.csv, a row for each scheme at each place that is done, and DIR/study-summary.csv.
void paper_study_csv(const struct paper *p);
