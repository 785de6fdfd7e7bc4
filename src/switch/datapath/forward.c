// SPDX-License-Identifier: BSD-3-Clause
// A burst from one end to the other: where each packet goes, then into the queues.
#include "switch/datapath/forward.h"

#include "switch/datapath/decide/decide_burst.h"
#include "switch/datapath/enqueue.h"
#include "switch/datapath/exceptions.h"
#include "switch/datapath/source_check.h"
#include "switch/datapath/detour_packets.h"
#include "switch/datapath/decide/flow_assign.h"

static void count_burst(struct drb_worker *w, const struct drb_burst *b)
{
	const struct drb_burst_counters *c = &b->counters;

	w->counters.rx_packets += c->packets;
	w->port[b->in].in_packets += c->packets;
	w->port[b->in].in_octets += c->octets;
	w->routing.down += b->count - c->up - c->exceptions;
	w->routing.up_default += c->up - c->redirected;
	w->routing.up_redirected += c->redirected;
	w->routing.up_walked += c->walked;
	drb_scheme_state_tick(&w->scheme_state, w->now_ns, c->up);
	if (unlikely(b->recorded) && b->unloaded)
		w->difference[DRB_DIFFERENCE_MAX] += c->up - c->walked;
}

void drb_forward_burst(struct drb_worker *w, uint32_t in, struct rte_mbuf **packets, uint32_t count)
{
	struct drb_burst b; // but for what follows, each stage writes what the next reads

	b.in = in;
	b.packets = packets;
	b.count = count;
	b.unloaded = b.recorded = b.counts_queues = false;
	b.counters = (struct drb_burst_counters){.packets = count};
	drb_scheme_state_from_above(&w->scheme_state, &b, w->down_ports);
	if (w->port[in].source.active)
		drb_source_check_burst(w, &b);
	if (unlikely(w->dead))
		drb_detour_burst(w, &b);

	const bool fits = drb_enqueue_fits(w, b.count);
	if (w->assigns)
		drb_assign_burst(w, &b);
	else
		drb_decide_burst(w, &b, fits);
	if (likely(fits))
		drb_enqueue_burst(w, &b);
	else
		drb_enqueue_each(w, &b);
	if (b.counts_queues)
		drb_scheme_state_count(&w->scheme_state, &w->occupancy[w->down_ports]);
	if (unlikely(b.counters.exceptions > 0))
		drb_exceptions(w, &b);
	count_burst(w, &b);
}
