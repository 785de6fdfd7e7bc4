// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The state of a worker, a forwarding thread of the switch. Its stages (loop.c) share nothing else.

#include <poll.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/fabric/source_rule.h"
#include "core/routing/detour.h"
#include "core/math/random.h"

#include "common/config/config.h"
#include "switch/datapath/worker/burst.h"
#include "switch/datapath/worker/delay_line.h"
#include "switch/datapath/worker/egress_queue.h"
#include "switch/datapath/worker/receive_share.h"
#include "switch/datapath/worker/shared_load.h"
#include "switch/datapath/worker/flow_table.h"
#include "switch/links/liveness.h"
#include "switch/ports/port.h"
#include "switch/datapath/worker/snapshot.h"
#include "switch/datapath/worker/threshold_in_force.h"
#include "switch/datapath/worker/guarded.h"
#include "switch/datapath/worker/scheme_state.h"
#include "switch/datapath/worker/classify.h"

struct drb_capture;
struct drb_hello_outbox;
struct drb_worker;
struct rte_mempool;
struct rte_ring;

// A change of a worker's state, which it makes itself at the edge of an iteration: from a posted one until it is made the
// control thread waits, so a change allocates, frees, logs and waits for nothing.
typedef void drb_worker_change(struct drb_worker *w, void *context);

struct drb_worker_port {
	struct drb_port_queue *queue; // this worker's; NULL: no device
	bool active;                  // a device is behind this port; memif: it has met its peer
	uint32_t host;                // the host behind a down-port of layer 1, else DRB_NO_LABEL
	struct drb_classifier classifier; // of frames as they come in
	struct drb_classifier checked;    // of those that drb_source_check() has found right
	uint64_t in_packets, in_octets, in_discards;
	uint64_t out_octets;
	uint64_t tx_refused;
	uint64_t lost;                 // packets that left the queue and were dropped then
	struct drb_source_rule source; // of the host behind the port
	uint32_t host_burst;           // packets that it may be ahead of its link; 0: any
	struct drb_instant sent;       // when its link would have carried what came; police.c
};

// Of worker 0, which alone writes and reads it while it runs; only the ring and `news` have other writers.
struct drb_hello_io {
	struct rte_mempool *pool; // of the hellos sent
	struct rte_ring *ring;    // received by other workers; NULL: there are none
	uint32_t workers;         // this one is the first of them
	int out_fd;              // sends hellos by all interfaces of the kernel; -1: there are none
	uint64_t apart_until_ns; // what one of them keeps left no room: each port sends its own
	struct drb_hello_outbox *out; // what it will send, while liveness looks
	uint64_t looked_ns;           // when all sockets of hellos were looked at last
	uint64_t look_ns;  // when to do so again, while awake; UINT64_MAX: there are none
	uint64_t readable; // a bit per port whose socket has hellos
	// A bit per port whose socket has one that says something new. All workers set them, worker 0 clears them.
	atomic_uint_least64_t news;
	struct {
		int fd; // socket of hellos, constant, which other workers read; -1: there is none
		// Packets received when sockets of hellos were last looked at, and before that.
		uint64_t seen, seen_before;
		uint64_t missed;  // packets lost before they were received, as counted last
		uint64_t refused; // hellos received as packets, which no neighbour counts as sent
	} port[DRB_PORTS_MAX];
};

// One worker. Where nothing else is said, the worker itself is the only writer and reader of what
// changes while it runs. What others want changed of it, it changes itself (drb_workers_apply()); before it runs the
// control thread does.
struct drb_worker {
	// Configuration, of the switch's config and ports: written by worker_setup.c, at the start and for a
	// reload; read by all stages.
	struct {
		struct drb_hop hop;
		struct drb_addr_plan addr;
		struct drb_class_tables class_tables;
		uint32_t number; // of this worker
		uint32_t mtu;    // octets of the longest IP packet
		uint32_t down_ports, up_ports;
		uint32_t ports;    // all; down-ports first
		uint64_t hellos;   // ports that send hellos, a bit each
		uint32_t burst;    // most packets received in one call
		uint32_t tx_burst; // most packets handed to a driver in one call
		bool open;         // each port has a device and its queue takes a whole burst
		bool paced;        // some port has a rate
		bool waits;        // that, or some rings: packets wait there that are queued now
		bool pairs;        // no rings, and a decision compares no more than two choices
		bool poll;         // spin instead of sleeping
		bool assigns;      // flow or flowlet unit: decisions are not made by packet
		uint32_t rings;    // uplinks whose rings are part of their load (ring_load.h)
		bool outside;      // some load is in queues of other workers, or in rings
		bool timed;        // decisions need the time
		struct drb_worker *owner; // worker 0, which keeps the state of links
	};

	// Ports and queues: written by receive, enqueue and transmit; read by decisions.
	struct {
		struct drb_worker_port port[DRB_PORTS_MAX];
		struct drb_egress egress[DRB_PORTS_MAX];
		uint32_t occupancy[DRB_PORTS_MAX]; // = length of each egress queue
		uint32_t queued;  // packets in all egress queues, and on links with a delay
		uint64_t delayed; // ports with such a link, a bit each; constant
		struct drb_receive_share share;    // of ports in this worker's time
		uint64_t answer_ns[DRB_PORTS_MAX]; // see exceptions.c
		uint64_t unflushed; // ports to be told at the end of the iteration that they were
				    // sent to
		struct drb_delay_line line[DRB_PORTS_MAX];
	};

	// Routing: written by decisions, and the margins of both choices by threshold_in_force.c.
	struct {
		struct drb_rng rng;
		enum drb_scheme scheme;     // of the table; DRB_SCHEME_COUNT: from outside
		struct drb_guarded guarded; // in that case
		double param[DRB_SCHEME_PARAMS_MAX];
		struct drb_choice choice;        // of that scheme
		struct drb_choice packet_choice; // of a packet decided alone in flow units
		struct drb_threshold threshold;
		struct drb_scheme_state scheme_state;
		struct drb_hash_key flow_secret; // of flow and flowlet unit
		struct drb_flow_table flows;     // flow unit, else empty
		struct drb_flowlet *flowlet;     // flowlet unit: by hash; else NULL. Owned
		uint32_t flowlet_mask, flowlet_gap;
		struct drb_shared_load shared_load;
		struct drb_ring_load ring_load;
		uint32_t unrecorded; // bursts until the next whose decisions are recorded
	};

	// Links: written by hellos.c, read by decisions.
	struct {
		struct drb_detour_node node; // this switch, as detours see it; constant
		uint64_t dead;               // a bit per port: not to be used. Mostly 0
		uint64_t drained;            // a bit per port: only for what would be lost
		uint64_t off;                // a bit per port: what goes in or out there is dropped
		uint64_t silenced;           // dead because a worker is stuck
		struct drb_usable_ports links; // what follows from the two
		unsigned links_version;        // of published_links, that these are of
		bool reroutes;                 // some port is dead, or an outage is known
		uint64_t *routes;             // ports to each rack, while an outage is known; owned
		unsigned routes_version;      // of the routes in published_links
		struct drb_liveness liveness; // of worker 0; due_ns UINT64_MAX in the others
		struct drb_hello_io hello_io; // of worker 0
	};

	// Counters: written by all stages, read by take_snapshot.c.
	struct {
		struct drb_routing_counters routing;
		struct drb_worker_counters counters;
		uint64_t drop[DRB_DROP_COUNT];
		uint64_t difference[DRB_DIFFERENCES]; // decisions by default - candidate load
		// By drb_log_bin() of sizes of receive bursts, and of queue lengths found by some.
		uint64_t burst_size[DRB_LOG_BINS], queue_length[DRB_LOG_BINS];
		uint32_t unsampled;  // bursts until the next that looks at queue lengths
		uint64_t started_ns; // CLOCK_MONOTONIC when the loop began
		uint64_t host_fault_ns[DRB_HOST_FAULT_COUNT][DRB_PORTS_MAX]; // when last
									     // seen; 0: never
	};

	// Time and sleep: written by loop.c, idle.c and bulk_policy.c; now_ns is read by all stages.
	struct {
		uint64_t now_ns;     // CLOCK_MONOTONIC, as of the last look at the clock
		uint64_t review_ns;  // when to ask for changes of interfaces; UINT64_MAX: never
		uint64_t receive_ns; // when to receive though nothing woke the worker
		int changes_fd;      // of interfaces (ports/interface.h); -1: none matters
		bool has_doorbells;  // some port has a doorbell
		bool no_wakeup;      // some port has neither descriptor nor doorbell: look
				     // after backoff_ns
		uint64_t backoff_ns;
		int epoll_fd, kick_fd; // the set has the kick, the doorbells and sockets of hellos
		// What wakes a sleeping worker: the set, then the sockets of ports. A socket in a
		// set looks for a sleeper with every packet, also while nobody sleeps; one outside is
		// looked at twice with every sleep, also where nothing comes. So they are in the set
		// after a second without packets, until the next. Those of hellos are, before that.
		struct pollfd watched[DRB_PORTS_MAX + 1];
		uint32_t watched_count;
		bool all_in_set;
		bool hellos_tell;  // sockets of hellos are in the set, and wake
		uint64_t woken_ns; // when a packet last ended a sleep
		struct {
			bool may_wait, waits; // waits: it is SCHED_BATCH
			uint64_t since_ns;    // of the span that runs
			uint64_t octets;      // received before
			uint64_t bulk_ns;     // when a span last had bulk traffic; 0: never
		} bulk;
	};

	struct drb_capture *capture; // who wants packets; NULL: nobody

	// Shared with other threads while the worker runs. Each field has one writer, named first:
	struct {
		struct drb_published_load published;        // this worker; the other workers read
		struct drb_published_links published_links; // worker 0; all workers read
		// This worker, unless it is worker 0, which reads: valid frames received by each port.
		atomic_ullong published_frames[DRB_PORTS_MAX];
		// All workers; bits are only ever set.
		atomic_uint_least64_t
			host_faults_told[DRB_HOST_FAULT_COUNT]; // of worker 0, by port
		atomic_bool stop;    // the control thread; the worker and the heartbeat read
		atomic_bool running; // the worker; control thread and heartbeat read
		drb_worker_change
			*change;      // the control thread, before changes_posted; the worker reads
		void *change_context; // likewise
		atomic_uint changes_posted;  // the control thread, by adding; the worker reads
		atomic_uint changes_made;    // the worker, by adding; the control thread reads
		atomic_int tid;              // the worker; the heartbeat reads
		atomic_uint beat_wanted;     // whoever asks, by adding; the worker reads
		atomic_uint beat;            // the worker, when it has gone on since
		atomic_bool silent;          // the heartbeat: a worker is stuck; the worker reads
		atomic_bool rests;           // worker 0: all links do; the heartbeat reads
		atomic_uint snapshot_wanted; // the control thread, by adding; the worker reads
		atomic_uint snapshot_done;   // the worker, when `snapshot` answers that request
		struct drb_snapshot
			snapshot; // the worker; the control thread reads after snapshot_done
	};
};

// The first sleep after traffic, while some port has neither descriptor nor doorbell; they become
// longer the longer nothing comes.
#define DRB_BACKOFF_MIN_NS 10000

// The uplinks at which a packet queued now waits, one bit each: those with a rate, those whose rings
// count, and those whose driver refused what stands before it. At the others its departure is its arrival
// (egress_queue.h): that it stays until its burst is through is no load of theirs, and must not be one: the
// load would depend on how many packets a driver hands over at once.
static inline uint32_t drb_waiting_uplinks(const struct drb_worker *w)
{
	uint32_t waiting = w->rings;

	for (uint32_t u = 0; (w->paced || w->queued > 0) && u < w->up_ports; u++) {
		uint32_t i = w->down_ports + u;
		waiting |= (uint32_t)(w->egress[i].paced || w->occupancy[i] > 0) << u;
	}
	return waiting;
}

// No uplink has a load, nor gets one by a burst.
static inline bool drb_uplinks_are_unloaded(const struct drb_worker *w)
{
	return !w->waits && w->queued == 0 && w->shared_load.most == 0;
}
