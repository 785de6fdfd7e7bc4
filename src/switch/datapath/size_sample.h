// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Histograms for readers of counters: the size of each burst, and the lengths of queues at one
// burst in DRB_QUEUE_SAMPLE_EVERY.

#include "switch/datapath/worker/worker.h"

// The bin of a size, see core/counters.h.
static inline uint32_t drb_log_bin(uint32_t size)
{
	uint32_t bits = size ? 32 - (uint32_t)__builtin_clz(size) : 0;

	return bits < DRB_LOG_BINS ? bits : DRB_LOG_BINS - 1;
}

static inline void drb_sample_queues(struct drb_worker *w)
{
	w->receive.unsampled = DRB_QUEUE_SAMPLE_EVERY - 1;
	for (uint32_t i = 0; i < w->egress.ports; i++)
		w->receive.queue_length[drb_log_bin(w->egress.occupancy[i])] += w->port[i].active;
}

// Records a received burst of count > 0 packets.
static inline void drb_sample_sizes(struct drb_worker *w, uint32_t count)
{
	w->counters.rx_bursts++;
	// Without a limit: a burst never reaches the last bin.
	w->receive.burst_size[32 - (uint32_t)__builtin_clz(count)]++;
	if (__builtin_expect(w->receive.unsampled-- == 0, 0))
		drb_sample_queues(w);
}
