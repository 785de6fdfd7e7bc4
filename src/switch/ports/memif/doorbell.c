// SPDX-License-Identifier: BSD-3-Clause
#include "switch/ports/memif/doorbell.h"

#include <errno.h>
#include <unistd.h>

void drb_doorbell_ring(struct drb_doorbell *b)
{
	const uint64_t one = 1;

	if (!b->ring || b->deaf)
		return;
	// A receiver that did not see the packets before it fell asleep asked before that, and this
	// sees it.
	atomic_thread_fence(memory_order_seq_cst);
	if (atomic_load_explicit(&b->ring->flags, memory_order_relaxed) & DRB_MEMIF_AWAKE)
		return;
	if (b->asks_each)
		atomic_fetch_or_explicit(&b->ring->flags, DRB_MEMIF_AWAKE, memory_order_relaxed);
	// It has rung where the counter is full. A peer may have the write wait for that, since both share the flags of the
	// descriptor: then the watchdog ends it (control/heartbeat.c), once.
	b->deaf = write(b->fd, &one, sizeof(one)) < 0 && errno == EINTR;
}
