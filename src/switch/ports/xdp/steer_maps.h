// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The maps that the steering program and the switch share: names and types of values.

#include <stdint.h>

// Maps of the program:
//   drb_plan    [0]           struct drb_addr_plan   written by the switch before it attaches
//   drb_counts  [0], per CPU  struct steer_counts    written by the program
//   xsks_map    [queue]       XDP socket             written by the switch
#define STEER_PLAN "drb_plan"
#define STEER_COUNTS "drb_counts"
#define STEER_SOCKETS "xsks_map"

// Most receive queues of a device that may have a socket, one for each worker.
#define STEER_QUEUES_MAX 16

struct steer_counts {
	uint64_t seen, redirected, passed; // packets; seen = redirected + passed
};
