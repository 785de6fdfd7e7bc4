// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The packets on a link with a delay: each arrives at the other end delay_ns after its departure
// from the egress queue. Owned by one worker. Packets are opaque pointers, so that this file is
// tested without DPDK.

#include <stdint.h>

#include "switch/datapath/worker/egress_queue.h"

struct drb_delay_line {
	void **packet;    // rings of mask + 1 entries
	uint64_t *due_ns; // when each arrives
	uint64_t head, tail;
	uint64_t delay_ns; // 0: no delay, and no rings
	uint32_t mask;
};

// packets: most that are on the link at once. 0 or -ENOMEM.
int drb_delay_line_init(struct drb_delay_line *line, uint64_t delay_ns, uint32_t packets);
// The caller has freed the packets on it.
void drb_delay_line_free(struct drb_delay_line *line);

static inline uint32_t drb_delay_line_length(const struct drb_delay_line *line)
{
	return (uint32_t)(line->tail - line->head);
}

// Puts the first count packets of a queue, which may leave by now_ns, on the link. Returns how many
// fit; the caller removes these from the queue.
uint32_t drb_delay_line_put(struct drb_delay_line *line, const struct drb_egress *q, uint32_t count,
			    uint64_t now_ns);

// Returns the packets that have arrived by now_ns, contiguous in memory. *count: in, the most
// packets to return; out, their number.
void **drb_delay_line_due(const struct drb_delay_line *line, uint64_t now_ns, uint32_t *count);
// Removes the first count packets, which are the receiver's now.
static inline void drb_delay_line_pop(struct drb_delay_line *line, uint32_t count)
{
	line->head += count;
}

// Returns when the next packet arrives. UINT64_MAX: the link is empty.
static inline uint64_t drb_delay_line_next_ns(const struct drb_delay_line *line)
{
	return line->head == line->tail ? UINT64_MAX : line->due_ns[line->head & line->mask];
}
