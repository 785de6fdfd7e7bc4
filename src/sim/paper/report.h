// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// From results.jsonl (results.h) to CSV files, claims, pictures and a page: by Python, topo/drbfabric/paper.

#include "sim/paper/paper.h"

// Runs it and waits; what it has to say it says itself. Returns its exit status.
int paper_report(const struct paper *p);
