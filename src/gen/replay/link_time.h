// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Whether traffic in slots fits the links of the fabric that it is replayed into.

#include <stdint.h>

#include "common/cli/quantity.h"

struct link_time_traffic {
	const char *fabric;
	uint64_t slot_ns;
	uint32_t size; // of its frames, bytes without FCS
};

// Asks a layer-1 switch for the time that a packet takes on an uplink of it, and says in a line if that
// is not the slot. Says nothing where links have no rate, which `up` has said, or nobody answers.
void link_time_compare(const struct link_time_traffic *traffic);

// The rate of the links of hosts, and the bytes that a frame takes on them beyond its own. -ENOENT: nobody
// answers; rate->value 0: they have none.
int link_time_of_hosts(const char *fabric, struct drb_rate *rate, uint64_t *overhead);
