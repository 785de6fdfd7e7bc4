// SPDX-License-Identifier: BSD-3-Clause
#include "switch/datapath/detour_packets.h"

#include <rte_mbuf.h>

#include "core/links/port_sets.h"
#include "core/packet/flow_key.h"
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

static struct uplink_loads loads_of(const struct drb_worker *w)
{
	struct uplink_loads l = {.waits = drb_waiting_uplinks(w)};

	drb_shared_load_sum(w, l.load);
	return l;
}

static void detour_count(struct drb_worker *w, const struct drb_decision *d, uint32_t out,
			 uint8_t mark)
{
	const bool begun = (d->detour & DRB_DETOUR_ROUTED)
				   ? !mark
				   : drb_detour_extra_hops(d->detour) > drb_detour_extra_hops(mark);

	if (d->detoured && begun)
		w->routing.detours_begun++;
	else if (d->detoured)
		w->routing.detoured++;
	else if (out < w->down_ports)
		w->routing.down++;
	else if (out - w->down_ports == d->def)
		w->routing.up_default++;
	else
		w->routing.up_redirected++;
	w->routing.up_walked += d->walks && !d->detoured;
}

// Decides on a packet with the mark of a detour, and queues or drops it.
static void forward_one(struct drb_worker *w, uint32_t in, struct rte_mbuf *m, uint8_t mark,
			struct uplink_loads *l)
{
	struct drb_decider s = drb_scheme_state_decider(&w->scheme_state, &w->choice);
	struct drb_usable_ports links = w->links;
	uint8_t *frame = rte_pktmbuf_mtod(m, uint8_t *), flags;
	struct drb_decision d = {.dest = drb_addr_label_octets(frame),
				 .port = in,
				 .draw = drb_rng_next(&w->rng),
				 .detour = mark};

	links.drained = w->drained;
	if (w->assigns && links.routes)
		s.choice.ops =
			drb_scheme_ops(DRB_SCHEME_ECMP); // without the flow table, but in order
	if (s.choice.ops->needs & DRB_READS_FLOW)
		d.flow = drb_flow_hash_of(frame, m->data_len, &flags);
	if (s.choice.ops->needs & DRB_READS_SIZE)
		d.size = drb_scheme_state_size(&w->scheme_state, m);
	if (w->choice.ops->mark_bits)
		d.mark = frame[DRB_MARK_AT] ^ w->scheme_state.mac_octet;
	int32_t out = drb_decide(&s, &w->node, links, l->load, &d);
	if (out < 0) {
		drb_drop(w, in, m, reason_of(out));
		return;
	}
	detour_count(w, &d, (uint32_t)out, mark);
	frame[1] = w->addr.mac[1] ^ d.detour;
	if (w->choice.ops->mark_bits)
		frame[DRB_MARK_AT] = w->scheme_state.mac_octet ^ d.mark;
	uint32_t up = (uint32_t)out - w->down_ports;
	if (drb_enqueue(w, (uint32_t)out, m) && up < w->up_ports)
		l->load[up] += l->waits >> up & 1;
}

void drb_detour_packet(struct drb_worker *w, uint32_t in, struct rte_mbuf *m, uint8_t mark)
{
	struct uplink_loads l = loads_of(w);

	forward_one(w, in, m, mark, &l);
}

// True if a packet of this class from port `in` cannot take the path that it has while all links
// are up.
static bool concerns(const struct drb_worker *w, uint32_t in, uint32_t class)
{
	const bool some_up = drb_ports_from(w->links.usable, w->down_ports);
	const bool some_dead = drb_ports_from(w->dead, w->down_ports);

	// The flow table handles dead uplinks: it moves a flow when its next packet comes.
	if (class >= DRB_CLASS_UP)
		return !some_up || (some_dead && !w->assigns);
	return class < w->down_ports && class != in && (w->dead >> class & 1);
}

// The same while an outage is known anywhere in the fabric. True if some port that the packet might
// take is not on a shortest path.
static bool is_rerouted(const struct drb_worker *w, uint32_t in, uint32_t class,
			const struct rte_mbuf *m)
{
	const bool down = class < w->down_ports;

	if ((class < DRB_CLASS_UP && !down) || class == in)
		return false; // an exception: its destination may be anything
	const uint32_t dest = drb_addr_label_octets(rte_pktmbuf_mtod(m, const uint8_t *));
	const uint64_t ports = w->links.usable & w->routes[drb_div(dest, &w->node.hop.by_arity)];
	if (!down)
		return drb_ports_from(ports, w->down_ports) != drb_ports_below(w->up_ports);
	return w->node.layer == 1 ? w->dead >> class & 1 : !(ports >> class & 1);
}

void drb_detour_burst(struct drb_worker *w, struct drb_burst *b)
{
	struct uplink_loads l = loads_of(w);
	uint32_t left = 0;

	for (uint32_t i = 0; i < b->count; i++) {
		struct rte_mbuf *m = b->packets[i];
		const uint32_t class = drb_classify(b->classifier, m);
		if (w->links.routes ? is_rerouted(w, b->in, class, m) : concerns(w, b->in, class)) {
			b->counters.octets += m->pkt_len;
			forward_one(w, b->in, m, 0, &l);
		} else {
			b->packets[left++] = m;
		}
	}
	b->count = left;
}
