// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Hellos on their way between ports and links/liveness. Belongs to worker 0, the only writer and
// reader while it runs; only the ring and `news` have other writers.

#include <stdatomic.h>
#include <stdint.h>

#include "common/config/config.h"

struct drb_hello_outbox;
struct rte_mempool;
struct rte_ring;

struct drb_hello_io {
	struct rte_mempool *pool; // buffers of hellos to send
	struct rte_ring *ring;    // hellos from other workers; NULL: no others
	uint32_t workers;         // how many; this one is the first
	int out_fd;               // sends hellos by all kernel interfaces; -1: there are none
	uint64_t apart_until_ns;  // until then each port sends its own: an interface filled out_fd
	struct drb_hello_outbox *out; // collects hellos while liveness sends them
	uint64_t looked_ns;           // when all hello sockets were last read
	uint64_t look_ns;             // when to read them again, while awake; UINT64_MAX: never
	uint64_t readable;            // a bit per port whose socket has hellos
	// A bit per port whose hello socket holds one with news. All workers set bits, worker 0
	// clears them.
	atomic_uint_least64_t news;
	struct {
		int fd; // hello socket, constant; other workers read it; -1: none
		// Packets received when all hello sockets were last read, and at the time before.
		uint64_t seen, seen_before;
		uint64_t missed;  // packets lost before they were received, as counted last
		uint64_t refused; // refused hellos in in_packets; no neighbour counts them as sent
	} port[DRB_PORTS_MAX];
};
