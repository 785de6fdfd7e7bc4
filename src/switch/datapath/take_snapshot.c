// SPDX-License-Identifier: BSD-3-Clause
// Snapshots of the counters: a reader asks, and the worker copies them between two iterations. That
// costs the forwarding loop one load an iteration, and packets are conserved exactly in the
// snapshot.
#include "switch/datapath/take_snapshot.h"

#include <string.h>

#include "common/cli/clock.h"
#include "switch/datapath/requests.h"

// Packets in the ring behind the port; 0 if its kind has no ring.
static uint64_t count_in_ring(const struct drb_worker_port *p)
{
	return p->queue && p->queue->in_ring ? p->queue->in_ring(p->queue) : 0;
}

// A new port counter that is missing here would always be 0.
_Static_assert(sizeof(struct drb_port_counters) == 13 * sizeof(uint64_t),
	       "count_port() and count_losses() fill in every counter of a port");

static struct drb_port_counters count_port(const struct drb_worker_port *p,
					   const struct drb_egress *q, uint64_t now_ns)
{
	return (struct drb_port_counters){
		.in_packets = p->in_packets,
		.in_octets = p->in_octets,
		.in_discards = p->in_discards,
		.out_packets = q->head - p->lost,
		.out_octets = p->out_octets,
		.out_discards = q->discards + p->lost,
		.queue_packets = drb_egress_length(q),
		.queue_octets = q->octets,
		.queue_max_packets = drb_egress_max(q),
		.queue_ns = drb_egress_queue_ns(q, now_ns),
		.ring_packets = count_in_ring(p),
		.lost_credit_ns = q->lost_credit_ns,
	};
}

// Counts packets that receive() never returned. A GSO packet that could not be cut counts as
// received and dropped.
static void count_losses(struct drb_snapshot *s, uint32_t i, struct drb_port_queue *q)
{
	const struct drb_port_losses lost = q ? drb_port_losses(q) : (struct drb_port_losses){0};

	s->port[i].in_missed = lost.missed;
	s->port[i].in_packets += lost.bad_gso;
	s->port[i].in_octets += lost.bad_gso_octets;
	s->port[i].in_discards += lost.bad_gso;
	s->worker.rx_packets += lost.bad_gso;
	s->drop[DRB_DROP_bad_gso] += lost.bad_gso;
}

void drb_worker_take_snapshot(struct drb_worker *w)
{
	struct drb_snapshot *s = &w->shared.snapshot;

	s->time_ns = drb_clock_now();
	s->routing = w->decide.routing;
	s->routing.flows_appeared = w->decide.flows.appeared;
	s->routing.flows_idled = w->decide.flows.idled;
	s->routing.flows_closed = w->decide.flows.closed;
	s->flows = w->decide.flows.live;
	s->threshold = w->decide.threshold.value;
	s->utilisation = w->decide.threshold.utilisation;
	memcpy(s->difference, w->decide.difference, sizeof(s->difference));
	memcpy(s->burst_size, w->receive.burst_size, sizeof(s->burst_size));
	memcpy(s->queue_length, w->receive.queue_length, sizeof(s->queue_length));
	s->worker = w->counters;
	drb_liveness_view(&w->liveness, s->live, s->time_ns);
	s->more_outages = w->liveness.known.outages.more > 0;
	for (uint32_t i = 0; i < DRB_DROP_COUNT; i++)
		s->drop[i] = w->drop[i];
	for (uint32_t f = 0; f < DRB_HOST_FAULT_COUNT; f++)
		s->host_faults[f] = drb_host_fault_ports(w, f, s->time_ns);
	for (uint32_t i = 0; i < w->egress.ports; i++) {
		struct drb_worker_port *p = &w->port[i];
		const struct drb_egress *q = &w->egress.queue[i];
		s->port[i] = count_port(p, q, s->time_ns);
		count_losses(s, i, p->queue);
		s->worker.late_ns += q->late.ns;
		s->worker.late_slots += q->late.slots;
		s->worker.lost_credit_events += q->lost_credit_events;
		s->worker.tx_refused += p->tx_refused;
	}
	s->worker.busy_ns = s->time_ns - w->started_ns - s->worker.sleep_ns;
	atomic_store_explicit(
		&w->shared.snapshot_done,
		atomic_load_explicit(&w->shared.snapshot_wanted, memory_order_relaxed),
		memory_order_release);
	drb_worker_tell(w);
}
