// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The packets that are on a link that takes a while: each comes to the other end so long after its departure from the
// egress queue. Owned by one worker. Packets are opaque pointers, so that this file is tested without DPDK.

#include <stdint.h>

#include "switch/datapath/worker/egress_queue.h"

struct drb_delay_line {
	void **packet;    // rings of mask + 1
	uint64_t *due_ns; // when each is there
	uint64_t head, tail;
	uint64_t delay_ns; // 0: none, and no rings
	uint32_t mask;
};

// For so many packets on the link at once. 0 or -ENOMEM.
int drb_delay_line_init(struct drb_delay_line *line, uint64_t delay_ns, uint32_t packets);
// Packets on it are the caller's to free before.
void drb_delay_line_free(struct drb_delay_line *line);

static inline uint32_t drb_delay_line_length(const struct drb_delay_line *line)
{
	return (uint32_t)(line->tail - line->head);
}

// The packets at the head of a queue depart, count of them, which may leave by now_ns. How many have room.
uint32_t drb_delay_line_put(struct drb_delay_line *line, const struct drb_egress *q, uint32_t count,
			    uint64_t now_ns);

// The packets that are there by now, at most *count of them in one piece.
void **drb_delay_line_due(const struct drb_delay_line *line, uint64_t now_ns, uint32_t *count);
// So many of these are the receiver's.
static inline void drb_delay_line_pop(struct drb_delay_line *line, uint32_t count)
{
	line->head += count;
}

// When the next one is there; UINT64_MAX: none is on it.
static inline uint64_t drb_delay_line_next_ns(const struct drb_delay_line *line)
{
	return line->head == line->tail ? UINT64_MAX : line->due_ns[line->head & line->mask];
}
