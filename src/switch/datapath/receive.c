// SPDX-License-Identifier: BSD-3-Clause
#include "switch/datapath/receive.h"

#include "common/cli/clock.h"
#include "switch/datapath/capture.h"
#include "switch/datapath/enqueue.h"
#include "switch/datapath/forward.h"
#include "switch/datapath/police.h"
#include "switch/datapath/size_sample.h"
#include "switch/datapath/transmit.h"

// Drops all packets, because the port is off. Returns 0: none is left.
static uint32_t drop_all(struct drb_worker *w, uint32_t in, struct rte_mbuf **packets,
			 uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		drb_refuse(w, in, packets[i], DRB_DROP_port_down);
	return 0;
}

uint32_t drb_receive(struct drb_worker *w, uint64_t *next_ns)
{
	struct rte_mbuf *packets[DRB_BURST_MAX];
	uint32_t total = 0;

	for (uint32_t i = 0; i < w->egress.ports; i++) {
		struct drb_port_queue *q = w->port[i].queue;
		if (!w->port[i].active || q->rx == DRB_QUEUE_NONE || drb_port_is_without_peer(q))
			continue;
		if (w->egress.paced && w->egress.queued > 0) {
			w->egress.now_ns = drb_clock_now();
			if (*next_ns <= w->egress.now_ns)
				drb_transmit(w, next_ns);
		}
		const uint64_t iteration = w->counters.iterations;
		uint32_t most =
			drb_receive_budget(&w->receive.share, i, w->receive.burst, iteration);
		uint32_t n = drb_port_receive(q, packets, most);
		drb_receive_note(&w->receive.share, i, n, most, iteration);
		if (n == 0)
			continue;
		drb_sample_sizes(w, n);
		if (unlikely(w->capture))
			drb_capture_received(w, i, packets, n);
		total += n;
		if (w->egress.paced) {
			// These packets arrived before now, even if the worker was off the CPU
			// since the iteration began. Packets that are due by now leave before
			// decisions on these.
			w->egress.now_ns = drb_clock_now();
			if (*next_ns <= w->egress.now_ns)
				drb_transmit(w, next_ns);
		}
		if (unlikely(w->links.off >> i & 1))
			n = drop_all(w, i, packets, n);
		else if (unlikely(w->port[i].host_burst > 0))
			n = drb_police(w, i, packets, n);
		if (n == 0)
			continue;
		if (w->decide.outside) {
			drb_ring_load_read(w, i);
			drb_shared_load_read(&w->decide, w->egress.up_ports);
		}
		drb_forward_burst(w, i, packets, n);
		if (w->egress.paced)
			*next_ns = 0; // the queues have changed
		else
			drb_transmit(w, next_ns);
		if (w->decide.shared_load.count)
			drb_shared_load_publish(&w->shared.load, &w->decide, &w->egress);
	}
	return total;
}
