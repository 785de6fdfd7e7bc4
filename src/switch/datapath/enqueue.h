// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Puts packets into egress queues, and drops those that find a queue full.

#include <rte_mbuf.h>

#include "switch/datapath/capture.h"
#include "switch/datapath/worker/burst.h"
#include "switch/datapath/worker/worker.h"

// Drops a packet that came in by port `in`, for this reason.
static inline void drb_drop(struct drb_worker *w, uint32_t in, struct rte_mbuf *m,
			    enum drb_drop reason)
{
	if (unlikely(w->capture))
		drb_capture_dropped(w, in, m, DRB_CAPTURE_DROP_IN, reason);
	w->drop[reason]++;
	w->port[in].in_discards++;
	rte_pktmbuf_free(m);
}

// The same for a packet that has not been counted as received yet; counts it.
static inline void drb_refuse(struct drb_worker *w, uint32_t in, struct rte_mbuf *m,
			      enum drb_drop reason)
{
	w->counters.rx_packets++;
	w->port[in].in_packets++;
	w->port[in].in_octets += m->pkt_len;
	drb_drop(w, in, m, reason);
}

// Queues a packet at port `out`. False: the queue was full, and the packet is dropped and counted.
static inline bool drb_enqueue(struct drb_worker *w, uint32_t out, struct rte_mbuf *m)
{
	if (likely(drb_egress_push(&w->egress.queue[out], m, m->pkt_len, w->egress.now_ns))) {
		w->egress.occupancy[out]++;
		w->egress.queued++;
		return true;
	}
	// The egress queue of a port without a device has limit 0.
	enum drb_drop reason = w->port[out].active ? DRB_DROP_queue_full : DRB_DROP_port_down;
	if (unlikely(w->capture))
		drb_capture_dropped(w, out, m, DRB_CAPTURE_DROP_OUT, reason);
	w->drop[reason]++;
	rte_pktmbuf_free(m);
	return false;
}

// True if every queue has space for count packets, contiguous in its ring.
static inline bool drb_enqueue_fits(const struct drb_egress_set *e, uint32_t count)
{
	bool fit = e->open;

	for (uint32_t i = 0; e->queued > 0 && i < e->ports; i++)
		fit &= drb_egress_fits(&e->queue[i], count);
	return fit;
}

// Both functions queue the packets of a burst by their classes. Exceptions, and packets that would
// leave by the port they came in by, go to b->exception instead. Both update octets, up and
// exceptions of b->counters.
//
// Queues the whole burst without checking each queue. Requires drb_enqueue_fits().
void drb_enqueue_burst(struct drb_egress_set *e, struct drb_burst *b);
// Queues one packet after the other, and drops those whose queue is full.
void drb_enqueue_each(struct drb_worker *w, struct drb_burst *b);
