// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Bundles that a packet socket receives (ports/bundle.h): taken apart at once, and handed out as the worker asks
// for packets.

#include <stdbool.h>
#include <stdint.h>

#include <rte_mbuf.h>

#include "switch/ports/bundle.h"

// The bundle that is being handed out. Of its worker alone.
struct drb_rx_bundle {
	uint32_t slot;        // octets; 0: none is taken
	uint32_t next, count; // the next packet; equal: there is none
	struct rte_mbuf *packet[DRB_BUNDLE_PACKETS];
};

static inline bool drb_rx_bundle_is_open(const struct drb_rx_bundle *b)
{
	return b->next < b->count;
}

// How many packets the frame is a bundle of, `length` octets of which the first `there` are at `frame`; 0: none
// that is taken.
uint32_t drb_rx_bundle_check(const struct drb_rx_bundle *b, const uint8_t *frame, uint32_t there,
			     uint32_t length);

// Begins with a bundle of so many packets that has been checked. False: there are too few buffers, try again.
bool drb_rx_bundle_begin(struct drb_rx_bundle *b, const uint8_t *frame, uint32_t count,
			 struct rte_mempool *pool);
// The same with the next frame that waits in a socket with PACKET_VNET_HDR, of `length` octets, read into buffers of its
// slots. What waits is gone then; if it is no bundle after all, there is none to be handed out.
bool drb_rx_bundle_read(struct drb_rx_bundle *b, int fd, uint32_t length, struct rte_mempool *pool);

// Up to count of its packets, which become the caller's. How many.
uint32_t drb_rx_bundle_take(struct drb_rx_bundle *b, struct rte_mbuf **packets, uint32_t count);
// Frees what has not been taken.
void drb_rx_bundle_drop(struct drb_rx_bundle *b);
