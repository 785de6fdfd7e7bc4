// SPDX-License-Identifier: BSD-3-Clause
#include "switch/datapath/detour_packets.h"

#include <rte_mbuf.h>

#include "core/links/port_sets.h"
#include "core/routing/decide.h"

#include "switch/datapath/enqueue.h"

static enum drb_drop reason_of(int32_t port)
{
	switch (port) {
	case DRB_DETOUR_HOST_DOWN:
		return DRB_DROP_port_down;
	case DRB_DETOUR_NO_ROUTE:
		return DRB_DROP_no_route;
	default:
		return DRB_DROP_not_below;
	}
}

// Loads that decisions compare while several packets are queued one after the other.
struct uplink_loads {
	uint32_t load[DRB_UPLINKS_MAX];
	uint32_t waits; // drb_waiting_uplinks() before the first of them
};

static struct uplink_loads loads_of(const struct drb_decide_state *s,
				    const struct drb_egress_set *e)
{
	struct uplink_loads l = {.waits = drb_waiting_uplinks(e)};

	drb_shared_load_sum(&s->shared_load, e, l.load);
	return l;
}

static void detour_count(struct drb_worker *w, const struct drb_decision *d, uint32_t out,
			 uint8_t mark)
{
	const bool begun = (d->detour & DRB_DETOUR_ROUTED)
				   ? !mark
				   : drb_detour_extra_hops(d->detour) > drb_detour_extra_hops(mark);

	if (d->detoured && begun)
		w->decide.routing.detours_begun++;
	else if (d->detoured)
		w->decide.routing.detoured++;
	else if (out < w->egress.down_ports)
		w->decide.routing.down++;
	else if (out - w->egress.down_ports == d->def)
		w->decide.routing.up_default++;
	else
		w->decide.routing.up_redirected++;
	w->decide.routing.up_walked += d->walks && !d->detoured;
}

// Decides on a packet with the mark of a detour, and queues or drops it.
static void forward_one(struct drb_worker *w, uint32_t in, struct rte_mbuf *m, uint8_t mark,
			struct uplink_loads *l)
{
	const struct drb_scheme_state *state = &w->decide.scheme_state;
	struct drb_decider s = drb_scheme_state_decider(state, &w->decide.choice);
	const bool marks = s.choice.ops->mark_bits;
	struct drb_usable_ports links = w->links.ports;
	uint8_t *frame = rte_pktmbuf_mtod(m, uint8_t *);

	links.drained = w->links.drained;
	if (w->decide.assigns && links.routes)
		s.choice.ops =
			drb_scheme_ops(DRB_SCHEME_ECMP); // keeps flows in order without the table
	struct drb_decision d = drb_scheme_state_decision(state, s.choice.ops, marks, m);
	d.port = in;
	d.draw = drb_rng_next(&w->decide.rng);
	d.detour = mark;
	int32_t out = drb_decide(&s, &w->links.node, links, l->load, &d);
	if (out < 0) {
		drb_drop(w, in, m, reason_of(out));
		return;
	}
	detour_count(w, &d, (uint32_t)out, mark);
	frame[1] = w->addr.mac[1] ^ d.detour;
	if (marks)
		frame[DRB_MARK_AT] = state->mac_octet ^ d.mark;
	uint32_t up = (uint32_t)out - w->egress.down_ports;
	if (drb_enqueue(w, (uint32_t)out, m) && up < w->egress.up_ports)
		l->load[up] += l->waits >> up & 1;
}

void drb_detour_packet(struct drb_worker *w, uint32_t in, struct rte_mbuf *m, uint8_t mark)
{
	struct uplink_loads l = loads_of(&w->decide, &w->egress);

	forward_one(w, in, m, mark, &l);
}

// True if a packet of this class from port `in` cannot take the path that it has while all links
// are up.
static bool concerns(const struct drb_worker *w, uint32_t in, uint32_t class)
{
	const bool some_up = drb_ports_from(w->links.ports.usable, w->egress.down_ports);
	const bool some_dead = drb_ports_from(w->links.dead, w->egress.down_ports);

	// The flow table handles dead uplinks: it moves a flow when its next packet comes.
	if (class >= DRB_CLASS_UP)
		return !some_up || (some_dead && !w->decide.assigns);
	return class < w->egress.down_ports && class != in && (w->links.dead >> class & 1);
}

// The same while an outage is known anywhere in the fabric: true if some port that the packet might
// take is not on a shortest path.
static bool is_rerouted(const struct drb_worker *w, uint32_t in, uint32_t class,
			const struct rte_mbuf *m)
{
	const bool down = class < w->egress.down_ports;

	if ((class < DRB_CLASS_UP && !down) || class == in)
		return false; // an exception: its destination may be anything
	const uint32_t dest = drb_addr_label_octets(rte_pktmbuf_mtod(m, const uint8_t *));
	const uint64_t ports =
		w->links.ports.usable & w->links.routes[drb_div(dest, &w->links.node.hop.by_arity)];
	if (!down)
		return drb_ports_from(ports, w->egress.down_ports) !=
		       drb_ports_below(w->egress.up_ports);
	return w->links.node.layer == 1 ? w->links.dead >> class & 1 : !(ports >> class & 1);
}

void drb_detour_burst(struct drb_worker *w, struct drb_burst *b)
{
	struct uplink_loads l = loads_of(&w->decide, &w->egress);
	uint32_t left = 0;

	for (uint32_t i = 0; i < b->count; i++) {
		struct rte_mbuf *m = b->packets[i];
		const uint32_t class = drb_classify(b->classifier, m);
		if (w->links.ports.routes ? is_rerouted(w, b->in, class, m)
					  : concerns(w, b->in, class)) {
			b->counters.octets += m->pkt_len;
			forward_one(w, b->in, m, 0, &l);
		} else {
			b->packets[left++] = m;
		}
	}
	b->count = left;
}
