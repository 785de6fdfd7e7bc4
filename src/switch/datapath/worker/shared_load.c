// SPDX-License-Identifier: BSD-3-Clause
#include "switch/datapath/worker/shared_load.h"

#include "switch/datapath/worker/decide_state.h"
#include "switch/datapath/worker/egress_set.h"

void drb_shared_load_read(struct drb_decide_state *s, uint32_t up_ports)
{
	struct drb_shared_load *p = &s->shared_load;

	p->most = 0;
	for (uint32_t u = 0; u < up_ports; u++) {
		uint32_t occupancy = s->ring_load.packets[u];
		for (uint32_t i = 0; i < p->count; i++)
			occupancy += atomic_load_explicit(&p->other[i]->occupancy[u],
							  memory_order_relaxed);
		p->occupancy[u] = occupancy;
		p->most = occupancy > p->most ? occupancy : p->most;
	}
	for (uint32_t u = 0; s->flows.entry && u < up_ports; u++) {
		p->flows[u] = 0;
		for (uint32_t i = 0; i < p->count; i++)
			p->flows[u] +=
				atomic_load_explicit(&p->other[i]->flows[u], memory_order_relaxed);
	}
}

void drb_shared_load_sum(const struct drb_shared_load *other, const struct drb_egress_set *e,
			 uint32_t sum[DRB_UPLINKS_MAX])
{
	for (uint32_t u = 0; u < e->up_ports; u++)
		sum[u] = e->occupancy[e->down_ports + u] + other->occupancy[u];
}

void drb_shared_load_flows(const struct drb_decide_state *s, uint32_t up_ports,
			   uint32_t sum[DRB_UPLINKS_MAX])
{
	for (uint32_t u = 0; u < up_ports; u++)
		sum[u] = s->flows.flows[u] + s->shared_load.flows[u];
}

void drb_shared_load_publish(struct drb_published_load *load, const struct drb_decide_state *s,
			     const struct drb_egress_set *e)
{
	for (uint32_t u = 0; u < e->up_ports; u++)
		atomic_store_explicit(&load->occupancy[u], e->occupancy[e->down_ports + u],
				      memory_order_relaxed);
	for (uint32_t u = 0; e->rings && u < e->up_ports; u++)
		atomic_store_explicit(&load->sent[u], (uint32_t)e->queue[e->down_ports + u].head,
				      memory_order_relaxed);
	for (uint32_t u = 0; s->flows.entry && u < e->up_ports; u++)
		atomic_store_explicit(&load->flows[u], s->flows.flows[u], memory_order_relaxed);
}
