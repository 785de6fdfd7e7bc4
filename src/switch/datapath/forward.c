// SPDX-License-Identifier: BSD-3-Clause
// Forwards a burst: decides the output of each packet, then queues it.
#include "switch/datapath/forward.h"

#include "switch/datapath/decide/decide_burst.h"
#include "switch/datapath/enqueue.h"
#include "switch/datapath/exceptions.h"
#include "switch/datapath/source_check.h"
#include "switch/datapath/detour_packets.h"
#include "switch/datapath/decide/flow_assign.h"

static void count_arrivals(struct drb_worker *w, const struct drb_burst *b)
{
	w->counters.rx_packets += b->counters.packets;
	w->port[b->in].in_packets += b->counters.packets;
	w->port[b->in].in_octets += b->counters.octets;
}

// Passes the lengths of the down-ports' egress queues to the scheme, at the end of a window.
static __attribute__((noinline)) void look_down(struct drb_worker *w)
{
	uint32_t waiting[DRB_PORTS_MAX];

	for (uint32_t p = 0; p < w->down_ports; p++)
		waiting[p] = drb_egress_length(&w->egress[p]);
	w->scheme_state.ops->look(w->scheme_state.state, waiting);
}

static void count_ways(struct drb_worker *w, const struct drb_burst *b)
{
	const struct drb_burst_counters *c = &b->counters;

	w->routing.down += b->count - c->up - c->exceptions;
	w->routing.up_default += c->up - c->redirected;
	w->routing.up_redirected += c->redirected;
	w->routing.up_walked += c->walked;
	w->scheme_state.sent_up += c->up;
	if (unlikely(b->recorded) && b->unloaded)
		w->difference[DRB_DIFFERENCE_MAX] += c->up - c->walked;
}

// Queues the ordinary traffic of a burst; exceptions go to b->exception.
static inline __attribute__((always_inline)) void forward_plain(struct drb_worker *w,
								struct drb_burst *b)
{
	if (unlikely(drb_scheme_state_tick(&w->scheme_state, w->now_ns)))
		look_down(w);
	if (unlikely(w->reroutes))
		drb_detour_burst(w, b);

	const bool fits = drb_enqueue_fits(w, b->count);
	if (w->assigns)
		drb_assign_burst(w, b);
	else
		drb_decide_burst(w, b, fits);
	if (likely(fits))
		drb_enqueue_burst(w, b);
	else
		drb_enqueue_each(w, b);
	if (b->counts_queues)
		w->choice.ops->count(w->scheme_state.state, &w->occupancy[w->down_ports]);
	count_ways(w, b);
}

// Sets the fields that no stage writes before another one reads them.
static inline void burst_begin(struct drb_burst *b, uint32_t in, struct rte_mbuf **packets,
			       uint32_t count)
{
	b->in = in;
	b->packets = packets;
	b->count = count;
	b->unloaded = b->recorded = b->counts_queues = b->marked = false;
	b->counters = (struct drb_burst_counters){.packets = count};
}

// Checks the sources of a host's exceptions. Frames that are ordinary traffic, once their source is
// verified, are forwarded as such. Returns how many exceptions are left in the burst.
static __attribute__((noinline)) uint32_t check_sources(struct drb_worker *w, struct drb_burst *b)
{
	struct rte_mbuf *plain[DRB_BURST_MAX];
	struct drb_burst checked;
	uint32_t left, count = drb_source_check_exceptions(w, b, plain, &left);

	if (count == 0)
		return left;
	burst_begin(&checked, b->in, plain, count);
	checked.classifier = &w->port[b->in].checked;
	forward_plain(w, &checked);
	// drb_forward_burst() counts their arrival with the burst that they came in.
	drb_exceptions(w, &checked, checked.counters.exceptions);
	return left;
}

void drb_forward_burst(struct drb_worker *w, uint32_t in, struct rte_mbuf **packets, uint32_t count)
{
	struct drb_burst b;

	burst_begin(&b, in, packets, count);
	b.classifier = &w->port[in].classifier;
	drb_scheme_state_marks(&w->scheme_state, &b);
	forward_plain(w, &b);
	if (unlikely(b.counters.exceptions > 0)) {
		uint32_t left = b.counters.exceptions;
		if (w->port[in].source.active)
			left = check_sources(w, &b);
		drb_exceptions(w, &b, left);
	}
	count_arrivals(w, &b);
}
