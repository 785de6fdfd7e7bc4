// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// How far packets arrive out of order, in a live fabric and a simulated one. Pure.
//
// A stream is the packets of one source to one destination. A packet is reordered if a packet sent after it
// arrived before it (RFC 4737, type-P-reordered). Its extent is the number of arrivals since the first of
// those (RFC 4737, reordering extent). A receiver that restores the order buffers packets that arrive before
// one sent earlier; it does not wait for lost packets.

#include <stddef.h>
#include <stdint.h>

struct drb_reordering {
	uint64_t packets;   // that arrived
	uint64_t reordered; // of them
	uint64_t extent;    // the largest
	uint64_t buffer;    // packets that the receiver of a stream held at once, at most
};

// A packet that arrived.
struct drb_arrival {
	uint64_t at; // any clock
	uint32_t sent,
		arrived; // which of the stream it is in either order; set by drb_reordering_add()
};

// Adds a stream: its packets that arrived, in the order they were sent in. arrival[] is changed.
void drb_reordering_add(struct drb_reordering *r, struct drb_arrival arrival[], uint32_t count);

// Share of the packets that were reordered; NaN without any.
double drb_reordering_share(const struct drb_reordering *r);
