// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Packets through the rings of a memif link (doorbell.h). The other end writes to the same memory.
// Offsets that it writes are read once and checked, so that no byte outside of the link's memory is
// touched.

#include <stdint.h>

#include "switch/ports/memif/doorbell.h"

struct drb_port_queue;
struct drb_send_result;
struct rte_mbuf;
struct rte_mempool;

// The format of the packets of a link.
struct drb_memif_packets {
	uint32_t frame_max; // bytes of the longest frame that is forwarded; longer ones are cut
	uint32_t buffer;    // bytes of a buffer of this end, if it is the client
	bool marked;        // descriptors mark unfinished checksums, as the other end accepts them
};

// Receives up to count packets, each in a buffer of the pool, owned by the caller. Returns their
// number. A packet whose data is outside of the link's memory becomes empty. A packet longer than
// frame_max is cut to frame_max + 1 bytes.
uint32_t drb_memif_receive(struct drb_doorbell *rx, const struct drb_memif_packets *p,
			   struct rte_mempool *pool, struct rte_mbuf **packets, uint32_t count);

// Sends packets, in order. Returns the number of packets that are sent or lost and freed. The
// caller keeps the others, for which the ring has no space. A packet is lost if the receiver's
// descriptor has no valid memory for it.
uint32_t drb_memif_send(struct drb_doorbell *tx, const struct drb_memif_packets *p,
			struct rte_mbuf **packets, uint32_t count, struct drb_send_result *result);
