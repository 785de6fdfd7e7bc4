// SPDX-License-Identifier: BSD-3-Clause
#include "switch/datapath/police.h"

#include <rte_ether.h>
#include <rte_mbuf.h>

#include "switch/datapath/enqueue.h"

uint32_t drb_police(struct drb_worker *w, uint32_t in, struct rte_mbuf **packets, uint32_t count)
{
	struct drb_worker_port *port = &w->port[in];
	const struct drb_egress *link = &w->egress.queue[in]; // both directions have its rate
	const uint32_t burst = port->host_burst;
	struct drb_instant latest = {.ns = w->egress.now_ns};
	uint32_t kept = 0;

	drb_egress_serialise(link, &latest, burst, (uint64_t)burst * RTE_ETHER_MAX_LEN);
	if (port->sent.ns < w->egress.now_ns)
		port->sent = (struct drb_instant){.ns = w->egress.now_ns};
	for (uint32_t i = 0; i < count; i++) {
		struct rte_mbuf *m = packets[i];
		struct drb_instant sent = port->sent;
		drb_egress_serialise(link, &sent, 1, m->pkt_len);
		if (sent.ns <= latest.ns) {
			port->sent = sent;
			packets[kept++] = m;
			continue;
		}
		drb_refuse(w, in, m, DRB_DROP_over_rate);
	}
	return kept;
}
