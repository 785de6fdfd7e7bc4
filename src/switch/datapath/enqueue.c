// SPDX-License-Identifier: BSD-3-Clause
#include "switch/datapath/enqueue.h"

#include <string.h>

// Adds up the bytes of packets that differ in size.
static __attribute__((noinline)) uint64_t add_octets(struct rte_mbuf **packets, uint32_t count)
{
	uint64_t octets = 0;

	for (uint32_t i = 0; i < count; i++)
		octets += packets[i]->pkt_len;
	return octets;
}

static inline uint64_t burst_octets(struct rte_mbuf **packets, uint32_t count, uint32_t size)
{
	return likely(size > 0) ? (uint64_t)count * size : add_octets(packets, count);
}

static __attribute__((noinline)) void write_ends(struct drb_egress *q, struct rte_mbuf **first,
						 uint32_t count)
{
	uint32_t *ends = &q->end[(void **)first - q->packet], at = drb_egress_end(q);

	for (uint32_t i = 0; i < count; i++)
		ends[i] = at += first[i]->pkt_len;
}

// Makes queue `port` longer by the packets that are already stored from its end up to `end`.
// Returns how many. Runs for each port of each burst, so rare work is in functions of its own.
static inline __attribute__((always_inline)) uint32_t lengthen(struct drb_egress_set *e,
							       uint32_t port, struct rte_mbuf **end,
							       const struct drb_burst *b,
							       uint64_t *octets)
{
	struct drb_egress *q = &e->queue[port];
	struct rte_mbuf **first = (struct rte_mbuf **)drb_egress_end_of(q);
	uint32_t count = (uint32_t)(end - first);

	if (count == 0)
		return 0;
	uint64_t here = burst_octets(first, count, b->size);
	*octets += here;
	if (unlikely(q->paced))
		write_ends(q, first, count);
	drb_egress_append(q, count, here, e->now_ns);
	e->occupancy[port] += count;
	return count;
}

void drb_enqueue_burst(struct drb_egress_set *e, struct drb_burst *b)
{
	const uint32_t down_ports = e->down_ports, up_ports = e->up_ports, in = b->in;
	struct rte_mbuf **end[DRB_CLASSES], *back[DRB_BURST_MAX];
	struct rte_mbuf **const packets = b->packets;
	const uint32_t count = b->count;
	uint32_t down = 0, up = 0, exceptions, returns = 0;
	uint64_t octets = 0;

	for (uint32_t i = 0; i < down_ports; i++)
		end[i] = (struct rte_mbuf **)drb_egress_end_of(&e->queue[i]);
	for (uint32_t i = 0; i < up_ports; i++)
		end[DRB_CLASS_UP | i] =
			(struct rte_mbuf **)drb_egress_end_of(&e->queue[down_ports + i]);
	end[DRB_CLASS_EXCEPTION] = b->exception;
	if (in < down_ports)
		end[in] = back;

#pragma GCC unroll 4
	for (uint32_t i = 0; i < count; i++)
		*end[b->class[i]]++ = packets[i];

	for (uint32_t i = 0; i < down_ports; i++)
		down += i == in ? 0 : lengthen(e, i, end[i], b, &octets);
	for (uint32_t i = 0; i < up_ports; i++)
		up += lengthen(e, down_ports + i, end[DRB_CLASS_UP | i], b, &octets);
	e->queued += down + up;
	exceptions = (uint32_t)(end[DRB_CLASS_EXCEPTION] - b->exception);
	if (in < down_ports)
		returns = (uint32_t)(end[in] - back);
	if (unlikely(exceptions + returns > 0)) {
		memcpy(b->exception + exceptions, back, returns * sizeof(*back));
		octets += burst_octets(b->exception, exceptions + returns, b->size);
	}
	b->counters.octets += octets;
	b->counters.up += up;
	b->counters.exceptions = exceptions + returns;
}

void drb_enqueue_each(struct drb_worker *w, struct drb_burst *b)
{
	for (uint32_t i = 0; i < b->count; i++) {
		struct rte_mbuf *m = b->packets[i];
		uint32_t class = b->class[i];
		b->counters.octets += m->pkt_len;
		if (class >= DRB_CLASS_UP) {
			b->counters.up++;
			drb_enqueue(w, w->egress.down_ports + class - DRB_CLASS_UP, m);
		} else if (unlikely(class == b->in || class == DRB_CLASS_EXCEPTION)) {
			b->exception[b->counters.exceptions++] = m;
		} else {
			drb_enqueue(w, class, m);
		}
	}
}
