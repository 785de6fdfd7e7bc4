// SPDX-License-Identifier: BSD-3-Clause
// A burst from end to end: the output of each packet, then the queues.
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

// Plain traffic of a burst goes into the queues; exceptions are put aside.
static inline __attribute__((always_inline)) void forward_plain(struct drb_worker *w,
								struct drb_burst *b)
{
	drb_scheme_state_tick(&w->scheme_state, w->now_ns);
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

// Each stage writes what the next reads; this is what none of them writes.
static inline void begin(struct drb_burst *b, uint32_t in, struct rte_mbuf **packets,
			 uint32_t count)
{
	b->in = in;
	b->packets = packets;
	b->count = count;
	b->unloaded = b->recorded = b->counts_queues = b->marked = false;
	b->counters = (struct drb_burst_counters){.packets = count};
}

// The exceptions of a host whose sources are checked: those that are plain but for the look that they need take
// the way of plain traffic. Returns how many are left in the burst.
static __attribute__((noinline)) uint32_t check_sources(struct drb_worker *w, struct drb_burst *b)
{
	struct rte_mbuf *plain[DRB_BURST_MAX];
	struct drb_burst checked;
	uint32_t left, count = drb_source_check_exceptions(w, b, plain, &left);

	if (count == 0)
		return left;
	begin(&checked, b->in, plain, count);
	checked.classifier = &w->port[b->in].checked;
	forward_plain(w, &checked);
	// They are counted as arrivals of the burst that they came in.
	drb_exceptions(w, &checked, checked.counters.exceptions);
	return left;
}

void drb_forward_burst(struct drb_worker *w, uint32_t in, struct rte_mbuf **packets, uint32_t count)
{
	struct drb_burst b;

	begin(&b, in, packets, count);
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
