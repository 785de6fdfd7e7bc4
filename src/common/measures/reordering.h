// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Measures of packets that arrive out of order, in a live fabric and a simulated one. Pure.
//
// A stream is the packets of one source to one destination. A packet is reordered if a packet sent
// after it arrived before it (RFC 4737, type-P-reordered). Its extent is the number of arrivals
// since the first such packet (RFC 4737, reordering extent). A receiver that restores the order
// buffers packets that arrive before one sent earlier. It does not wait for lost packets.

#include <stddef.h>
#include <stdint.h>

struct drb_reordering {
	uint64_t packets;   // packets that arrived
	uint64_t reordered; // reordered packets
	uint64_t extent;    // the largest extent
	uint64_t buffer;    // most packets that the receiver of a stream held at once
};

// A packet that arrived.
struct drb_arrival {
	uint64_t at; // by any clock
	// Number in the stream, in the order of sending and of arrival. drb_reordering_add() sets
	// them.
	uint32_t sent, arrived;
};

// Adds a stream: its packets that arrived, in the order in which they were sent. Changes arrival[].
void drb_reordering_add(struct drb_reordering *r, struct drb_arrival arrival[], uint32_t count);

// Share of reordered packets; NaN if there are no packets.
double drb_reordering_share(const struct drb_reordering *r);
