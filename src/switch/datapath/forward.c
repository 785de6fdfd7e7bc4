// SPDX-License-Identifier: BSD-3-Clause
// Forwards a burst: decides the output of each packet, then queues it.
#include "switch/datapath/forward.h"

#include "switch/datapath/decide/decide_burst.h"
#include "switch/datapath/enqueue.h"
#include "switch/datapath/exceptions.h"
#include "switch/datapath/source_check.h"
#include "switch/datapath/detour_packets.h"
#include "switch/datapath/decide/flow_assign.h"

static inline void count_arrivals(struct drb_worker_counters *all, struct drb_worker_port *from,
				  const struct drb_burst *b)
{
	all->rx_packets += b->counters.packets;
	from->in_packets += b->counters.packets;
	from->in_octets += b->counters.octets;
}

// Passes the lengths of the down-ports' egress queues to the scheme, at the end of a window.
static __attribute__((noinline)) void look_down(const struct drb_decide_state *s,
						const struct drb_egress_set *e)
{
	uint32_t waiting[DRB_PORTS_MAX];

	for (uint32_t p = 0; p < e->down_ports; p++)
		waiting[p] = drb_egress_length(&e->queue[p]);
	s->scheme_state.ops->look(s->scheme_state.state, waiting);
}

static inline __attribute__((always_inline)) void count_ways(struct drb_decide_state *s,
							     const struct drb_burst *b)
{
	const struct drb_burst_counters *c = &b->counters;

	s->routing.down += b->count - c->up - c->exceptions;
	s->routing.up_default += c->up - c->redirected;
	s->routing.up_redirected += c->redirected;
	s->routing.up_walked += c->walked;
	s->scheme_state.sent_up += c->up;
	if (unlikely(b->recorded) && b->unloaded)
		s->difference[DRB_DIFFERENCE_MAX] += c->up - c->walked;
}

// Queues the ordinary traffic of a burst; exceptions go to b->exception.
static inline __attribute__((always_inline)) void forward_plain(struct drb_worker *w,
								struct drb_burst *b)
{
	if (unlikely(drb_scheme_state_tick(&w->decide.scheme_state, w->egress.now_ns)))
		look_down(&w->decide, &w->egress);
	if (unlikely(w->links.reroutes))
		drb_detour_burst(w, b);

	const bool fits = drb_enqueue_fits(&w->egress, b->count);
	if (w->decide.assigns)
		drb_assign_burst(w, b);
	else
		drb_decide_burst(&w->decide, &w->egress, b, fits);
	if (likely(fits))
		drb_enqueue_burst(&w->egress, b);
	else
		drb_enqueue_each(w, b);
	if (b->counts_queues)
		w->decide.choice.ops->count(w->decide.scheme_state.state,
					    &w->egress.occupancy[w->egress.down_ports]);
	count_ways(&w->decide, b);
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
	struct drb_worker_port *const from = &w->port[in];
	struct drb_burst b;

	burst_begin(&b, in, packets, count);
	b.classifier = &from->classifier;
	drb_scheme_state_marks(&w->decide.scheme_state, &b);
	forward_plain(w, &b);
	if (unlikely(b.counters.exceptions > 0)) {
		uint32_t left = b.counters.exceptions;
		if (from->source.active)
			left = check_sources(w, &b);
		drb_exceptions(w, &b, left);
	}
	count_arrivals(&w->counters, from, &b);
}
