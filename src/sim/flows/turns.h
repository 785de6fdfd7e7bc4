// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The transfers of each host that have packets left, in a ring: they send in turn.

#include "sim/flows/window.h"

int drb_turns_init(struct drb_transfers *t); // 0 or -ENOMEM
// Adds a new transfer, whose turn comes last.
void drb_turns_add(struct drb_transfers *t, uint32_t transfer);
void drb_turns_leave(struct drb_transfers *t, uint32_t transfer);
// The next transfer of a host that may send, or DRB_NO_TRANSFER.
uint32_t drb_turns_next(struct drb_transfers *t, uint32_t host);
// The number of a host's transfers with a packet that may be sent now. A small frame waits for one
// packet of each of these transfers.
uint32_t drb_turns_ready(const struct drb_transfers *t, uint32_t host);

// Prefetches the transfers whose turn it is at DRB_TOGETHER hosts from this one on.
static inline __attribute__((always_inline)) void drb_turns_prefetch(const struct drb_transfers *t,
								     uint32_t host)
{
	const uint32_t end = host + DRB_TOGETHER, hosts = t->setup.tree.hosts;
	uint32_t turn[DRB_TOGETHER], n = 0;

	for (uint32_t h = host; h < end && h < hosts; h++) {
		turn[n] = t->last[h];
		if (turn[n] != DRB_NO_TRANSFER)
			__builtin_prefetch(&t->transfer[turn[n++]], 1);
	}
	for (uint32_t i = 0; i < n; i++) {
		turn[i] = t->transfer[turn[i]].next;
		__builtin_prefetch(&t->transfer[turn[i]], 1);
	}
	for (uint32_t i = 0; i < n; i++)
		drb_window_prefetch(t->transfer[turn[i]].window);
	for (uint32_t i = 0; i < n; i++)
		drb_window_prefetch_next(t->transfer[turn[i]].window);
}
