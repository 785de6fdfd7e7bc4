// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Switches without a socket. They are known from earlier polls of the poller and from the records
// of topo/fabric.

#include "ctl/metrics/poll.h"

struct metrics_known {
	char fabric[DRB_FABRIC_MAX + 1];
	uint32_t layer, label;
};

// Adds these switches to the poll, sets the records of all switches, and remembers the switches
// that answered. Returns 0 or -ENOMEM.
int metrics_add_ended(struct metrics_poller *poller, struct metrics_poll *poll);
