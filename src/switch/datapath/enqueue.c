// SPDX-License-Identifier: BSD-3-Clause
#include "switch/datapath/enqueue.h"

static uint64_t octets_of(struct rte_mbuf **packets, uint32_t count, uint32_t size)
{
	uint64_t octets = 0;

	if (likely(size > 0))
		return (uint64_t)count * size;
	for (uint32_t i = 0; i < count; i++)
		octets += packets[i]->pkt_len;
	return octets;
}

// Makes queue `port` longer by what stands on its shelf; how many packets.
static inline uint32_t fill(struct drb_worker *w, uint32_t port, const struct drb_enqueue_batch *s,
			    uint32_t class, uint64_t *octets)
{
	struct rte_mbuf **first = s->first[class];
	uint32_t count = (uint32_t)(s->next[class] - first);
	struct drb_egress *q = &w->egress[port];

	if (count == 0)
		return 0;
	uint64_t here = octets_of(first, count, s->size);
	*octets += here;
	if (q->paced) {
		uint32_t *ends = &q->end[(void **)first - q->packet], end = drb_egress_end(q);
		for (uint32_t i = 0; i < count; i++)
			ends[i] = end += first[i]->pkt_len;
	}
	drb_egress_append(q, count, here, w->now_ns);
	w->occupancy[port] += count;
	return count;
}

uint32_t drb_enqueue_commit(struct drb_enqueue_batch *s, struct drb_worker *w, uint32_t redirected)
{
	const uint32_t down_ports = w->down_ports, up_ports = w->up_ports, in = s->in;
	uint32_t exceptions = (uint32_t)(s->next[DRB_CLASS_EXCEPTION] - s->odd), returns = 0,
		 down = 0, up = 0;
	uint64_t octets = octets_of(s->odd, exceptions, s->size);

	if (in < down_ports) {
		returns = (uint32_t)(s->next[in] - s->back);
		octets += octets_of(s->back, returns, s->size);
		s->next[in] = s->first[in];
	}
	for (uint32_t i = 0; i < down_ports; i++)
		down += fill(w, i, s, i, &octets);
	for (uint32_t i = 0; i < up_ports; i++)
		up += fill(w, down_ports + i, s, DRB_CLASS_UP | i, &octets);
	w->queued += down + up;
	w->port[in].in_packets += down + up + exceptions + returns;
	w->port[in].in_octets += octets;
	w->routing.down += down;
	w->routing.up_default += up - redirected;
	w->routing.up_redirected += redirected;
	if (unlikely(exceptions + returns > 0)) {
		drb_exceptions(w, in, s->odd, exceptions);
		drb_exceptions(w, in, s->back, returns);
	}
	return up;
}
