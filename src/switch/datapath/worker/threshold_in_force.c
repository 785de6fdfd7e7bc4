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
static double live_flows(const struct drb_worker *w)
{
	double live = w->flows.live;

	for (uint32_t u = 0; u < w->up_ports; u++)
		live += w->shared_load.flows[u];
	return live;
}

static void put_in_force(struct drb_worker *w)
{
	struct drb_threshold *t = &w->threshold;

	if (t->automatic) {
		double rho = t->utilisation < UTILISATION_MAX ? t->utilisation : UTILISATION_MAX;
		t->packet = drb_threshold_packet(rho);
		t->value = t->packet;
		if (t->flow)
			t->value = drb_threshold_flow(live_flows(w) / w->up_ports, t->hosts);
	}
	w->choice.margin = drb_margin(t->value);
	w->packet_choice.margin = drb_margin(t->packet);
}

void drb_threshold_set(struct drb_worker *w, const struct drb_setup *s)
{
	struct drb_threshold *t = &w->threshold;

	t->automatic = s->threshold_auto && w->up_ports > 0;
	t->flow = s->unit == DRB_UNIT_FLOW;
	t->value = t->packet = s->threshold;
	put_in_force(w);
}

void drb_threshold_init(struct drb_worker *w, const struct drb_setup *s)
{
	w->threshold = (struct drb_threshold){.hosts = s->tree.hosts};
	drb_threshold_set(w, s);
}

// Returns the share of the last dt_ns in which the link of port i was busy sending packets.
static double link_busy(const struct drb_worker *w, uint32_t i, double dt_ns)
{
	const struct drb_threshold *t = &w->threshold;
	const struct drb_egress *q = &w->egress[i];
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
	const struct drb_threshold *t = &w->threshold;
	const struct drb_ring_load *r = &w->ring_load;

	return r->looks == t->looks
		       ? 0
		       : (double)(r->busy[u] - t->busy[u]) / (double)(r->looks - t->looks);
}

static double measure(const struct drb_worker *w, uint64_t tsc)
{
	const struct drb_threshold *t = &w->threshold;
	double dt_ns = (double)(w->now_ns - t->last_ns), sum = 0;
	double working =
		(double)(w->counters.work_cycles - t->last_work) / (double)(tsc - t->last_tsc);

	for (uint32_t u = 0, i = w->down_ports; u < w->up_ports; u++, i++)
		sum += w->egress[i].paced  ? link_busy(w, i, dt_ns)
		       : w->rings >> u & 1 ? ring_busy(w, u)
		       : working < 1       ? working
					   : 1;
	return sum / w->up_ports;
}

void drb_threshold_update(struct drb_worker *w)
{
	struct drb_threshold *t = &w->threshold;
	uint64_t tsc = rte_rdtsc();

	t->due_ns = w->now_ns + LOOK_EVERY_NS;
	if (w->up_ports == 0)
		return; // without uplinks there is nothing to measure
	if (t->last_ns != 0 && w->now_ns > t->last_ns && tsc > t->last_tsc) {
		double weight = -expm1(-(double)(w->now_ns - t->last_ns) / AVERAGE_NS);
		t->utilisation += weight * (measure(w, tsc) - t->utilisation);
		put_in_force(w);
	}
	t->last_ns = w->now_ns;
	t->last_tsc = tsc;
	t->last_work = w->counters.work_cycles;
	t->looks = w->ring_load.looks;
	memcpy(t->busy, w->ring_load.busy, sizeof(t->busy));
	for (uint32_t i = w->down_ports; i < w->ports; i++) {
		t->packets[i] = w->egress[i].head;
		t->octets[i] = w->port[i].out_octets;
	}
}
