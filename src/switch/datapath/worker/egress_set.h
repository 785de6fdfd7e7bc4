// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The queues of one worker, and what sends from them. Enqueue and transmit write them, decisions
// read them.

#include <stdbool.h>
#include <stdint.h>

#include "common/config/config.h"
#include "switch/datapath/worker/delay_line.h"
#include "switch/datapath/worker/egress_queue.h"

struct drb_egress_set {
	// Constant until a reload (worker_setup.c):
	uint32_t down_ports, up_ports;
	uint32_t ports;    // all; down-ports first
	uint32_t tx_burst; // most packets handed to a driver in one call
	uint32_t rings;    // uplinks whose rings are part of their load (ring_load.h), a bit each
	bool open;         // each port has a device and its queue takes a whole burst
	bool paced;        // some port has a rate
	bool waits;        // paced, or some rings count: queued packets have to wait
	uint64_t delayed;  // ports whose link has a delay, a bit each

	// CLOCK_MONOTONIC, when last read: packets enter and leave queues at this time. loop.c and
	// receive.c write it, all stages read it.
	uint64_t now_ns;
	struct drb_egress queue[DRB_PORTS_MAX];
	uint32_t occupancy[DRB_PORTS_MAX]; // = length of each queue
	uint32_t queued;                   // packets in all queues, and on links with a delay
	uint64_t unflushed;                // ports to flush at the end of the iteration
	struct drb_delay_line line[DRB_PORTS_MAX];
	uint64_t review_ns; // when to check interfaces for changes; UINT64_MAX: never
	int changes_fd;     // see ports/interface.h; -1: no port needs it
};

// The uplinks at which a packet queued now has to wait, one bit each: those with a rate, whose
// rings count, or whose driver has refused earlier packets. At other uplinks a packet departs on
// arrival (egress_queue.h). Such a packet stays queued until its burst is done. It must not count
// as load, because the load would then depend on how many packets a driver hands over at once.
static inline uint32_t drb_waiting_uplinks(const struct drb_egress_set *e)
{
	uint32_t waiting = e->rings;

	for (uint32_t u = 0; (e->paced || e->queued > 0) && u < e->up_ports; u++) {
		uint32_t i = e->down_ports + u;
		waiting |= (uint32_t)(e->queue[i].paced || e->occupancy[i] > 0) << u;
	}
	return waiting;
}
