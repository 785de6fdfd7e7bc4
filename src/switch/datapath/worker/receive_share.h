// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A port's share: how many packets a worker receives from it in an iteration. A port that has
// filled its share DRB_SHARE_FLOODED times in a row, about a ring's length, is flooded. The shares
// of a flooded port are short while other ports have packets. Packets at the other ports then wait
// for few packets of the flood, not for a burst of each flooded port. While all ports with packets
// are flooded, or none is, shares are bursts, which cost least.

#include <stdint.h>

#include "common/config/config.h"

enum {
	DRB_SHARE_FLOODED = 32, // full shares in a row
	DRB_SHARE_SHORT = 8,    // packets of a short share
	DRB_SHARE_LATELY = 256, // iterations for which a packet of an unflooded port is recent
};

struct drb_receive_share {
	uint8_t full[DRB_PORTS_MAX]; // shares in a row that were full, up to DRB_SHARE_FLOODED
	uint64_t light_until;        // iteration from which on only flooded ports have packets
};

static inline uint32_t drb_receive_budget(const struct drb_receive_share *s, uint32_t port,
					  uint32_t burst, uint64_t iteration)
{
	if (__builtin_expect(s->full[port] < DRB_SHARE_FLOODED || iteration >= s->light_until, 1))
		return burst;
	return burst < DRB_SHARE_SHORT ? burst : DRB_SHARE_SHORT;
}

// Records that a port gave count packets of its budget.
static inline void drb_receive_note(struct drb_receive_share *s, uint32_t port, uint32_t count,
				    uint32_t budget, uint64_t iteration)
{
	if (count == budget) {
		s->full[port] += s->full[port] < DRB_SHARE_FLOODED;
		return;
	}
	s->full[port] = 0;
	if (count > 0)
		s->light_until = iteration + DRB_SHARE_LATELY;
}
