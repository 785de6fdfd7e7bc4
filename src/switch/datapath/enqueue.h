// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Putting packets into egress queues.

#include <rte_mbuf.h>

#include "switch/datapath/worker.h"

// Frames that are not plain traffic from host to host, or not where they should be: answered or
// dropped for a named reason (exception.c).
void drb_exceptions(struct drb_worker *w, uint32_t in, struct rte_mbuf **packets, uint32_t count);

// Drops a packet that came in by port in, for this reason.
void drb_drop(struct drb_worker *w, uint32_t in, struct rte_mbuf *m, enum drb_drop reason);

// Queues a packet at port out; drops it, and says false, if there is no room.
static inline bool drb_enqueue(struct drb_worker *w, uint32_t out, struct rte_mbuf *m)
{
	if (likely(drb_egress_push(&w->egress[out], m, m->pkt_len, w->now_ns))) {
		w->occupancy[out]++;
		w->queued++;
		return true;
	}
	// A port without a device has an egress queue of no places.
	w->drop[w->port[out].active ? DRB_DROP_queue_full : DRB_DROP_port_down]++;
	rte_pktmbuf_free(m);
	return false;
}

// The ends of all queues, when each has room for a whole burst in one piece: filled by class
// without a look at each. What is odd or would leave by the port it came in by waits aside.
struct drb_enqueue_batch {
	struct rte_mbuf **next[DRB_CLASSES];
	struct rte_mbuf **first[DRB_CLASSES];
	uint32_t size; // of every packet; 0: they differ
	uint32_t in;
	struct rte_mbuf *odd[DRB_BURST_MAX], *back[DRB_BURST_MAX];
};

static inline bool drb_enqueue_fits(const struct drb_worker *w, uint32_t count)
{
	bool fit = w->open;

	for (uint32_t i = 0; w->queued > 0 && i < w->ports; i++)
		fit &= drb_egress_fits(&w->egress[i], count);
	return fit;
}

static inline void drb_enqueue_begin_queue(struct drb_enqueue_batch *s, const struct drb_egress *q,
					   uint32_t class)
{
	s->next[class] = s->first[class] = (struct rte_mbuf **)drb_egress_end_of(q);
}

static inline void drb_enqueue_begin(struct drb_enqueue_batch *s, const struct drb_worker *w,
				     uint32_t in, uint32_t size)
{
	for (uint32_t i = 0; i < w->down_ports; i++)
		drb_enqueue_begin_queue(s, &w->egress[i], i);
	for (uint32_t i = 0; i < w->up_ports; i++)
		drb_enqueue_begin_queue(s, &w->egress[w->down_ports + i], DRB_CLASS_UP | i);
	s->in = in;
	s->size = size;
	s->next[DRB_CLASS_EXCEPTION] = s->odd;
	if (in < w->down_ports)
		s->next[in] = s->back;
}

static inline void drb_enqueue_add(struct drb_enqueue_batch *s, size_t class, struct rte_mbuf *m)
{
	*s->next[class]++ = m;
}

// Makes the queues longer by what was put there, counts it, and sees to what waits aside.
// redirected: how many left their default uplink. How many went up.
uint32_t drb_enqueue_commit(struct drb_enqueue_batch *s, struct drb_worker *w, uint32_t redirected);
