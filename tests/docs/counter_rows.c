// SPDX-License-Identifier: BSD-3-Clause
// Prints every counter as the row of docs/reference/counters.md that describes it.
#include <stdio.h>

#include "core/counters.h"

#define ROW(key, meaning) puts("| `" #key "` | " meaning " |");

int main(void)
{
	DRB_PORT_COUNTERS(ROW)
	DRB_DROP_REASONS(ROW)
	DRB_ROUTING_COUNTERS(ROW)
	DRB_WORKER_COUNTERS(ROW)
	DRB_MEMORY(ROW)
	DRB_XDP_COUNTERS(ROW)
	return 0;
}
