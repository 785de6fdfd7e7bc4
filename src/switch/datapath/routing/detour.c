// SPDX-License-Identifier: BSD-3-Clause
#include "switch/datapath/routing/detour.h"

#include <rte_mbuf.h>

#include "core/packet/flow_key.h"

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

void drb_detour_packet(struct drb_worker *w, uint32_t in, struct rte_mbuf *m, uint32_t dest,
		       uint8_t mark)
{
	uint64_t draw = drb_rng_next(&w->rng);
	struct drb_detour_hop to = drb_detour_next(&w->around, w->links, dest, in, mark, draw);

	if (to.port == DRB_DETOUR_NO_ROUTE && w->drained) {
		// Rather by a drained port than lost: it came before all neighbours knew.
		struct drb_usable_ports all = w->links;
		all.usable |= w->drained;
		to = drb_detour_next(&w->around, all, dest, in, mark, draw);
	}
	if (to.port < 0) {
		drb_drop(w, in, m, reason_of(to.port));
		return;
	}
	if (drb_detour_extra_hops(to.mark) > drb_detour_extra_hops(mark))
		w->routing.detours_begun++;
	else
		w->routing.detoured++;
	rte_pktmbuf_mtod(m, uint8_t *)[1] = w->addr.mac[1] ^ to.mark;
	drb_enqueue(w, (uint32_t)to.port, m);
}

// Sends up a packet whose default is def. Schemes that take uplinks in turn decide as drb then:
// their turns are of all uplinks.
static void send_up(struct drb_worker *w, struct rte_mbuf *m, uint32_t def, uint32_t *load,
		    uint32_t waits)
{
	uint64_t flow = 0;
	uint8_t flags;

	if (w->choice.scheme == DRB_SCHEME_ECMP)
		flow = drb_flow_hash_of(rte_pktmbuf_mtod(m, uint8_t *), m->data_len, &flags);
	uint32_t up = drb_detour_choose(w, &w->choice, load, def, flow, drb_rng_next(&w->rng));
	w->routing.up_default += up == def;
	w->routing.up_redirected += up != def;
	if (drb_enqueue(w, w->down_ports + up, m))
		load[up] += waits >> up & 1;
}

uint32_t drb_detour_burst(struct drb_worker *w, uint32_t in, struct rte_mbuf **packets,
			  uint32_t count)
{
	const bool some_up = w->links.usable >> w->down_ports, some_dead = w->dead >> w->down_ports;
	const uint32_t waits = drb_waiting_uplinks(w);
	uint32_t load[DRB_UPLINKS_MAX], left = 0;

	drb_shared_load_sum(w, load);
	for (uint32_t i = 0; i < count; i++) {
		struct rte_mbuf *m = packets[i];
		uint32_t to = drb_classify(&w->port[in].classifier, m);
		bool up = to >= DRB_CLASS_UP;
		// Flows know of dead uplinks: they are moved as their packets come.
		bool choose = up && some_up && some_dead && !w->assigns;
		bool around = up ? !some_up : to < w->ports && to != in && (w->dead >> to & 1);
		if (!choose && !around) {
			packets[left++] = m;
			continue;
		}
		w->port[in].in_packets++;
		w->port[in].in_octets += m->pkt_len;
		if (choose)
			send_up(w, m, to - DRB_CLASS_UP, load, waits);
		else
			drb_detour_packet(
				w, in, m,
				drb_addr_label_octets(rte_pktmbuf_mtod(m, const uint8_t *)), 0);
	}
	return left;
}
