// SPDX-License-Identifier: BSD-3-Clause
#include "switch/datapath/worker/shared_load.h"

#include "switch/datapath/worker/worker.h"

void drb_shared_load_read(struct drb_worker *w, uint32_t in)
{
	struct drb_shared_load *p = &w->shared_load;

	// Packets from above go down: no uplink is chosen for them.
	if (w->rings && in < w->down_ports)
		drb_ring_load_read(w);
	p->most = 0;
	for (uint32_t u = 0; u < w->up_ports; u++) {
		uint32_t occupancy = w->ring_load.packets[u];
		for (uint32_t i = 0; i < p->count; i++)
			occupancy += atomic_load_explicit(&p->other[i]->occupancy[u],
							  memory_order_relaxed);
		p->occupancy[u] = occupancy;
		p->most = occupancy > p->most ? occupancy : p->most;
	}
	for (uint32_t u = 0; w->flows.entry && u < w->up_ports; u++) {
		p->flows[u] = 0;
		for (uint32_t i = 0; i < p->count; i++)
			p->flows[u] +=
				atomic_load_explicit(&p->other[i]->flows[u], memory_order_relaxed);
	}
}

void drb_shared_load_sum(const struct drb_worker *w, uint32_t sum[DRB_UPLINKS_MAX])
{
	for (uint32_t u = 0; u < w->up_ports; u++)
		sum[u] = w->occupancy[w->down_ports + u] + w->shared_load.occupancy[u];
}

void drb_shared_load_flows(const struct drb_worker *w, uint32_t sum[DRB_UPLINKS_MAX])
{
	for (uint32_t u = 0; u < w->up_ports; u++)
		sum[u] = w->flows.flows[u] + w->shared_load.flows[u];
}

void drb_shared_load_publish(struct drb_worker *w)
{
	for (uint32_t u = 0; u < w->up_ports; u++)
		atomic_store_explicit(&w->published.occupancy[u], w->occupancy[w->down_ports + u],
				      memory_order_relaxed);
	for (uint32_t u = 0; w->rings && u < w->up_ports; u++)
		atomic_store_explicit(&w->published.sent[u],
				      (uint32_t)w->egress[w->down_ports + u].head,
				      memory_order_relaxed);
	for (uint32_t u = 0; w->flows.entry && u < w->up_ports; u++)
		atomic_store_explicit(&w->published.flows[u], w->flows.flows[u],
				      memory_order_relaxed);
}
