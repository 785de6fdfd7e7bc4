// SPDX-License-Identifier: BSD-3-Clause
#include "switch/datapath/worker/ring_load.h"

#include "switch/datapath/worker/worker.h"

// Packets that worker n has sent to uplink u, modulo 2^32; of other workers, as last published.
static uint32_t sent_by(const struct drb_worker *w, uint32_t n, uint32_t u)
{
	const struct drb_shared_load *s = &w->decide.shared_load;

	if (n == w->number)
		return (uint32_t)w->egress.queue[w->egress.down_ports + u].head;
	return atomic_load_explicit(&s->other[n < w->number ? n : n - 1]->sent[u],
				    memory_order_relaxed);
}

static uint32_t in_rings(struct drb_worker *w, uint32_t u)
{
	struct drb_port_queue *own = w->port[w->egress.down_ports + u].queue;
	uint32_t packets = 0;

	for (uint32_t n = 0; n <= w->decide.shared_load.count; n++) {
		uint32_t sent = sent_by(w, n, u), *empty_at = &w->decide.ring_load.empty_at[n][u];
		if (sent == *empty_at)
			continue;
		uint32_t here = own->in_ring(n == w->number ? own : own->port->queue[n]);
		if (here == 0)
			*empty_at = sent;
		packets += here;
	}
	return packets;
}

void drb_ring_load_read(struct drb_worker *w, uint32_t in)
{
	struct drb_ring_load *r = &w->decide.ring_load;

	if (!w->egress.rings || in >= w->egress.down_ports)
		return;
	r->looks++;
	for (uint32_t left = w->egress.rings; left; left &= left - 1) {
		uint32_t u = (uint32_t)__builtin_ctz(left);
		r->packets[u] = in_rings(w, u);
		r->busy[u] += r->packets[u] > 0;
	}
}
