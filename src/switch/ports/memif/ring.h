// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Packets through the rings of a memif link (doorbell.h). The other end writes to the same memory: offsets
// that it writes are read and checked once, and no byte outside of the link's memory is touched.

#include <stdint.h>

#include "switch/ports/memif/doorbell.h"

struct drb_port_queue;
struct drb_send_result;
struct rte_mbuf;
struct rte_mempool;

// How the packets of a link are.
struct drb_memif_packets {
	uint32_t
		frame_max; // octets of the longest that is forwarded; of longer ones there is the beginning
	uint32_t buffer; // octets of a buffer that this end shares, if it is the client
	bool marked;     // the other end is ours: descriptors tell of unfinished checksums
};

// Up to count packets, each in a buffer of the pool, which become the caller's. How many. One whose octets
// are not in the link's memory has none.
uint32_t drb_memif_receive(struct drb_doorbell *rx, const struct drb_memif_packets *p,
			   struct rte_mempool *pool, struct rte_mbuf **packets, uint32_t count);

// How many of the packets, from the first, are done with and freed; the others, for which there is no room,
// are the caller's. Those for which the receiver lends no memory of the link are lost.
uint32_t drb_memif_send(struct drb_doorbell *tx, const struct drb_memif_packets *p,
			struct rte_mbuf **packets, uint32_t count, struct drb_send_result *result);
