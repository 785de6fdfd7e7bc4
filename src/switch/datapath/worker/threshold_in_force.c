// SPDX-License-Identifier: BSD-3-Clause
#include "drb/threshold.h"

#include "switch/datapath/worker/threshold_in_force.h"

#include <math.h>
#include <string.h>

#include <rte_cycles.h>

#include "switch/datapath/worker/worker.h"

#define LOOK_EVERY_NS 10000000
#define AVERAGE_NS 100e6
// T diverges at rho = 1, which a full link reaches; at this limit it is 7.9.
#define UTILISATION_MAX 0.999

// Live flows of all workers.
static double live_flows(const struct drb_decide_state *d, uint32_t up_ports)
{
	double live = d->flows.live;

	for (uint32_t u = 0; u < up_ports; u++)
		live += d->shared_load.flows[u];
	return live;
}

static void put_in_force(struct drb_decide_state *d, uint32_t up_ports)
{
	struct drb_threshold *t = &d->threshold;

	if (t->automatic) {
		double rho = t->utilisation < UTILISATION_MAX ? t->utilisation : UTILISATION_MAX;
		t->packet = drb_threshold_packet(rho);
		t->value = t->packet;
		if (t->flow)
			t->value = drb_threshold_flow(live_flows(d, up_ports) / up_ports, t->hosts);
	}
	d->choice.margin = drb_margin(t->value);
	d->packet_choice.margin = drb_margin(t->packet);
}

void drb_threshold_set(struct drb_decide_state *d, const struct drb_setup *s)
{
	struct drb_threshold *t = &d->threshold;

	t->automatic = s->threshold_auto && s->up_ports > 0;
	t->flow = s->unit == DRB_UNIT_FLOW;
	t->value = t->packet = s->threshold;
	put_in_force(d, s->up_ports);
}

void drb_threshold_init(struct drb_decide_state *d, const struct drb_setup *s)
{
	d->threshold = (struct drb_threshold){.hosts = s->tree.hosts};
	drb_threshold_set(d, s);
}

// Returns the share of the last dt_ns in which the link of port i was busy sending packets.
static double link_busy(const struct drb_worker *w, uint32_t i, double dt_ns)
{
	const struct drb_threshold *t = &w->decide.threshold;
	const struct drb_egress *q = &w->egress.queue[i];
	uint64_t packets = q->head - t->packets[i];
	uint64_t units = q->per_packet
				 ? packets
				 : w->port[i].out_octets - t->octets[i] + packets * q->overhead;
	double share = (double)units * (double)q->time_per_unit * 0x1p-32 / dt_ns;

	return share < 1 ? share : 1;
}

// The share of bursts since the last update that found packets in the ring of uplink u.
static double ring_busy(const struct drb_worker *w, uint32_t u)
{
	const struct drb_threshold *t = &w->decide.threshold;
	const struct drb_ring_load *r = &w->decide.ring_load;

	return r->looks == t->looks
		       ? 0
		       : (double)(r->busy[u] - t->busy[u]) / (double)(r->looks - t->looks);
}

static double measure(const struct drb_worker *w, uint64_t tsc)
{
	const struct drb_threshold *t = &w->decide.threshold;
	double dt_ns = (double)(w->egress.now_ns - t->last_ns), sum = 0;
	double working =
		(double)(w->counters.work_cycles - t->last_work) / (double)(tsc - t->last_tsc);

	for (uint32_t u = 0, i = w->egress.down_ports; u < w->egress.up_ports; u++, i++)
		sum += w->egress.queue[i].paced   ? link_busy(w, i, dt_ns)
		       : w->egress.rings >> u & 1 ? ring_busy(w, u)
		       : working < 1              ? working
						  : 1;
	return sum / w->egress.up_ports;
}

void drb_threshold_update(struct drb_worker *w)
{
	struct drb_threshold *t = &w->decide.threshold;
	uint64_t tsc = rte_rdtsc();

	t->due_ns = w->egress.now_ns + LOOK_EVERY_NS;
	if (w->egress.up_ports == 0)
		return; // without uplinks there is nothing to measure
	if (t->last_ns != 0 && w->egress.now_ns > t->last_ns && tsc > t->last_tsc) {
		double weight = -expm1(-(double)(w->egress.now_ns - t->last_ns) / AVERAGE_NS);
		t->utilisation += weight * (measure(w, tsc) - t->utilisation);
		put_in_force(&w->decide, w->egress.up_ports);
	}
	t->last_ns = w->egress.now_ns;
	t->last_tsc = tsc;
	t->last_work = w->counters.work_cycles;
	t->looks = w->decide.ring_load.looks;
	memcpy(t->busy, w->decide.ring_load.busy, sizeof(t->busy));
	for (uint32_t i = w->egress.down_ports; i < w->egress.ports; i++) {
		t->packets[i] = w->egress.queue[i].head;
		t->octets[i] = w->port[i].out_octets;
	}
}
