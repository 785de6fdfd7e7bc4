// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Switches that ended in order. They leave no socket; the poller that knew them, and the records of
// topo/fabric, identify them.

#include "ctl/metrics/poll.h"

struct metrics_known {
	char fabric[DRB_FABRIC_MAX + 1];
	uint32_t layer, label;
};

// Adds them to the poll, with -ENOENT, and remembers who has answered. 0 or -ENOMEM.
int metrics_add_ended(struct metrics_poller *poller, struct metrics_poll *poll);
