// SPDX-License-Identifier: BSD-3-Clause
// Prints every counter as the row of docs/reference/counters.md that describes it. With an
// argument, prints every state of a switch as its row of docs/reference/glossary.md.
#include <stdio.h>

#include "core/counters.h"
#include "ctl/metrics/states.h"

#define STATE_ROW(word, severity, meaning) ROW(word, meaning)
#define ROW(key, meaning) puts("| `" #key "` | " meaning " |");

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1) {
		CTL_STATES(STATE_ROW)
		return 0;
	}
	DRB_PORT_COUNTERS(ROW)
	DRB_DROP_REASONS(ROW)
	DRB_ROUTING_COUNTERS(ROW)
	DRB_WORKER_COUNTERS(ROW)
	DRB_MEMORY(ROW)
	DRB_XDP_COUNTERS(ROW)
	return 0;
}
