// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The forwarding thread, run to completion: receive burst -> destination label -> up or down ->
// port -> egress queue -> paced transmit. Everything here is written by the worker alone, except
// where a field says otherwise.

#include <poll.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/routing/detour.h"
#include "core/math/random.h"

#include "common/config/config.h"
#include "switch/datapath/burst.h"
#include "switch/datapath/egress_queue.h"
#include "switch/datapath/routing/shared_load.h"
#include "switch/datapath/routing/flow_table.h"
#include "switch/datapath/hellos.h"
#include "switch/links/liveness.h"
#include "switch/ports/port.h"
#include "switch/datapath/snapshot.h"
#include "switch/datapath/routing/threshold.h"
#include "switch/datapath/routing/scheme_state.h"
#include "switch/datapath/classify.h"

struct rte_mbuf;

struct drb_worker_port {
	struct drb_port_queue *queue; // this worker's; NULL: no device
	bool active;                  // a device is behind this port; memif: it has met its peer
	uint32_t host;                // the host behind a down-port of layer 1, else DRB_NO_LABEL
	struct drb_classifier classifier;
	uint64_t in_packets, in_octets, in_discards;
	uint64_t out_octets;
	uint64_t tx_refused;
	uint64_t lost; // packets that left the queue and were dropped then
};

struct drb_worker {
	// Constant while running.
	struct drb_hop hop;
	struct drb_choice choice;
	struct drb_addr_plan addr;
	struct drb_detour_node node;     // this switch, as detours see it
	struct drb_choice packet_choice; // of a packet decided alone in flow units
	uint32_t number;                 // of this worker
	uint32_t down_ports, up_ports;
	uint32_t ports;    // all; down-ports first
	uint32_t burst;    // most packets received in one call
	uint32_t tx_burst; // most packets handed to a driver in one call
	bool open;         // each port has a device and its queue takes a whole burst
	bool paced;        // some port has a rate
	bool poll;         // spin instead of sleeping
	bool assigns;      // flow or flowlet unit: decisions are not made by packet
	bool timed;        // decisions need the time
	bool bells;        // some port has a doorbell
	// The set has the kick and the bells.
	int epoll_fd, kick_fd;
	// What wakes a sleeping worker: the set, then the sockets of ports. A socket in a set would
	// look for a sleeper with every packet, also while nobody sleeps.
	struct pollfd watched[DRB_PORTS_MAX + 1];
	uint32_t watched_count;
	int changes_fd;           // of interfaces (ports/interface.h); -1: none matters
	uint64_t started_ns;      // CLOCK_MONOTONIC when the loop began
	bool doze;                // some port has no descriptor to wait on: look after doze_ns
	struct drb_worker *owner; // worker 0, that keeps the state of all ports

	// Hot.
	struct drb_rng rng;
	uint32_t occupancy[DRB_PORTS_MAX]; // = length of each egress queue, the load of decisions
	uint32_t queued;                   // packets in all egress queues
	uint64_t doze_ns;
	uint64_t review_ns; // when to ask for changes of interfaces; UINT64_MAX: never
	uint64_t unflushed; // ports to be told at the end of the turn that they were sent to
	uint64_t now_ns;    // CLOCK_MONOTONIC at the start of this turn
	struct drb_routing_counters routing;
	struct drb_worker_counters counters;
	struct drb_flow_table flows; // flow unit, else empty
	struct drb_flowlet *flowlet; // flowlet unit: by hash; else NULL. Owned
	uint32_t flowlet_mask, flowlet_gap;
	struct drb_threshold threshold;
	struct drb_scheme_state scheme_state;
	struct drb_shared_load shared_load;
	uint64_t dead;    // a bit per port: not to be used. 0 almost always
	uint64_t drained; // a bit per port: used only by what would be lost otherwise
	struct drb_usable_ports links;
	unsigned links_version;               // that these are of
	uint32_t unrecorded;                  // bursts until the next whose decisions are recorded
	uint64_t difference[DRB_DIFFERENCES]; // decisions by default load - candidate load
	uint64_t drop[DRB_DROP_COUNT];
	struct drb_worker_port port[DRB_PORTS_MAX];
	struct drb_egress egress[DRB_PORTS_MAX];
	struct drb_class_tables class_tables;
	struct drb_liveness liveness; // of worker 0; due_ns is UINT64_MAX in the others
	struct drb_hello_io hello_io; // of worker 0

	uint64_t host_fault_ns[DRB_HOST_FAULT_COUNT][DRB_PORTS_MAX]; // when last seen; 0: never

	// Between the worker and others.
	_Atomic uint64_t host_faults_told
		[DRB_HOST_FAULT_COUNT];             // of worker 0, a bit per port: by all workers
	struct drb_published_load published;        // written by the worker, read by other workers
	struct drb_published_links published_links; // written by worker 0, read by all
	atomic_bool stop;    // written by the signal handler, read by the worker
	atomic_bool running; // written by the worker, read by who parks it
	atomic_bool park;    // written by who parks it, read by the worker
	atomic_bool parked;  // written by the worker, read by who parks it
	atomic_uint
		snapshot_wanted; // written by telemetry (one request at a time), read by the worker
	atomic_uint snapshot_done; // written by the worker when `snapshot` answers that request
	struct drb_snapshot
		snapshot; // written by the worker, read by telemetry after snapshot_done
};

// The uplinks at which a packet queued now waits, one bit each: those with a rate, and those whose
// driver refused what stands before it. At the others its departure is its arrival (design: "Link
// model"): that it stays until its burst is through is no load of theirs, and must not be one: the
// load would depend on how many packets a driver hands over at once.
static inline uint32_t drb_waiting_uplinks(const struct drb_worker *w)
{
	uint32_t waiting = 0;

	for (uint32_t u = 0; (w->paced || w->queued > 0) && u < w->up_ports; u++) {
		uint32_t i = w->down_ports + u;
		waiting |= (uint32_t)(w->egress[i].paced || w->occupancy[i] > 0) << u;
	}
	return waiting;
}

// What one worker has of a port's limit.
static inline uint32_t drb_worker_share(const struct drb_setup *s, uint32_t limit)
{
	return (limit + s->workers - 1) / s->workers;
}

static inline struct drb_rate drb_worker_rate(const struct drb_setup *s, const struct drb_rate *all)
{
	return (struct drb_rate){all->value / s->workers, all->per_packet};
}

// setup must outlive the worker. Ports are inactive until drb_worker_attach(). 0 or -ENOMEM.
int drb_worker_init(struct drb_worker *w, const struct drb_setup *setup);
// What follows from the setups of several ports, and who may send from where.
void drb_worker_set_ports(struct drb_worker *w, const struct drb_setup *setup);
// Port index (as in setup->ports) is used by way of `queue`; its egress queue takes limit packets.
void drb_worker_attach(struct drb_worker *w, uint32_t index, uint32_t limit,
		       struct drb_port_queue *queue);
// Frees queues and the packets in them.
void drb_worker_free(struct drb_worker *w);

// Forwards until w->stop.
void drb_worker_run(struct drb_worker *w);
// Asks the loop to end; async-signal-safe.
void drb_worker_stop(struct drb_worker *w);
// Wakes the worker if it sleeps; any thread, async-signal-safe.
void drb_worker_kick(struct drb_worker *w);
// Has the loop wait between two turns, where it touches nothing of its ports or tables, until
// drb_worker_unpark(); returns once it does. A worker that does not run now begins parked. For
// threads that are not workers, one at a time (drb_workers_park()).
void drb_worker_park(struct drb_worker *w);
void drb_worker_unpark(struct drb_worker *w);

// Called from any thread: a consistent picture of all counters into *out. 0, or -ETIMEDOUT if the
// worker does not answer within a second.
int drb_worker_snapshot(struct drb_worker *w, struct drb_snapshot *out);
// Worker side: fills w->snapshot.
void drb_worker_take_snapshot(struct drb_worker *w);
