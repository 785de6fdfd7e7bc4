// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Combines the rows of runs that differ only in their seeds into one row of a table.

#include "common/cli/table.h"

#include "sim/engine/model.h"

// The cells of the rows of all runs.
struct sim_runs {
	struct sim_cell (*cell)[SIM_CELLS_MAX]; // [run][cell]
	uint32_t runs;
};

// Puts cell i of all runs, combined, into the table. With SIM_SPREAD, adds half of the 95 %
// interval in a column of its own.
void sim_put_combined(struct drb_table *table, const struct sim_runs *runs, uint32_t i);
