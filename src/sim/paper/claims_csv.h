// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The claims of the paper and their verdicts.

#include "sim/paper/paper.h"

// Writes DIR/claims.csv; all points are done.
void paper_claims_csv(const struct paper *p);
