// SPDX-License-Identifier: BSD-3-Clause
#include "place.h"

// Makes queue `port` longer by what stands between its end and next; how many packets.
static uint64_t fill(struct drb_worker *w, uint32_t port, struct rte_mbuf **next, uint64_t octets)
{
	struct drb_egress *q = &w->egress[port];
	uint32_t at = drb_shelf(q);
	struct rte_mbuf **first = (struct rte_mbuf **)&q->packet[at];
	uint32_t count = (uint32_t)(next - first);

	if (q->paced) {
		uint32_t *ends = &q->end[at], end = drb_egress_end(q);
		for (uint32_t i = 0; i < count; i++)
			ends[i] = end += first[i]->pkt_len;
	}
	drb_egress_append(q, count, octets, w->now_ns);
	w->occupancy[port] += count;
	w->queued += count;
	return count;
}

void drb_shelves_close(struct drb_shelves *s, struct drb_worker *w, uint32_t redirected)
{
	const uint32_t down_ports = w->down_ports, ports = w->ports, in = s->in;
	uint32_t odds = (uint32_t)(s->next[DRB_VERDICT_ODD] - s->odd), backs = 0;
	uint64_t octets = s->octets[DRB_VERDICT_ODD], down = 0, up = 0;

	if (in < down_ports) {
		backs = (uint32_t)(s->next[in] - s->back);
		octets += s->octets[in];
		s->next[in] = (struct rte_mbuf **)&w->egress[in].packet[drb_shelf(&w->egress[in])];
		s->octets[in] = 0;
	}
	for (uint32_t i = 0; i < down_ports; i++) {
		down += fill(w, i, s->next[i], s->octets[i]);
		octets += s->octets[i];
	}
	for (uint32_t i = down_ports; i < ports; i++) {
		uint32_t v = DRB_VERDICT_UP | (i - down_ports);
		up += fill(w, i, s->next[v], s->octets[v]);
		octets += s->octets[v];
	}
	w->port[in].in_packets += down + up + odds + backs;
	w->port[in].in_octets += octets;
	w->routing.down += down;
	w->routing.up_default += up - redirected;
	w->routing.up_redirected += redirected;
	drb_exceptions(w, in, s->odd, odds);
	drb_exceptions(w, in, s->back, backs);
}
