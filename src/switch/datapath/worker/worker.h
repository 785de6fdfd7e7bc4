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
struct drb_change;
struct drb_hello_outbox;
struct rte_mempool;
struct rte_ring;

struct drb_worker_port {
	struct drb_port_queue *queue; // this worker's; NULL: no device
	bool active;                  // a device is behind this port; memif: it has met its peer
	uint32_t host;                // the host behind a down-port of layer 1, else DRB_NO_LABEL
	struct drb_classifier classifier; // of frames as they come in
	struct drb_classifier checked;    // of frames that drb_source_check() has verified
	uint64_t in_packets, in_octets, in_discards;
	uint64_t out_octets;
	uint64_t tx_refused;
	uint64_t lost;                 // packets dropped after they left the queue
	struct drb_source_rule source; // of the host behind the port
	uint32_t host_burst;           // packets that the host may be ahead of its link; 0: any
	struct drb_instant sent;       // when its link would have carried all so far; police.c
};

// Belongs to worker 0, the only writer and reader while it runs; only the ring and `news` have
// other writers.
struct drb_hello_io {
	struct rte_mempool *pool; // buffers of hellos to send
	struct rte_ring *ring;    // hellos from other workers; NULL: no others
	uint32_t workers;         // how many; this one is the first
	int out_fd;               // sends hellos by all kernel interfaces; -1: there are none
	uint64_t apart_until_ns;  // until then each port sends its own: an interface filled out_fd
	struct drb_hello_outbox *out; // collects hellos while liveness sends them
	uint64_t looked_ns;           // when all hello sockets were last read
	uint64_t look_ns;             // when to read them again, while awake; UINT64_MAX: never
	uint64_t readable;            // a bit per port whose socket has hellos
	// A bit per port whose hello socket holds one with news. All workers set bits, worker 0
	// clears them.
	atomic_uint_least64_t news;
	struct {
		int fd; // hello socket, constant; other workers read it; -1: none
		// Packets received when all hello sockets were last read, and at the time before.
		uint64_t seen, seen_before;
		uint64_t missed;  // packets lost before they were received, as counted last
		uint64_t refused; // refused hellos in in_packets; no neighbour counts them as sent
	} port[DRB_PORTS_MAX];
};

// One worker. Unless a comment says otherwise, the worker is the only writer and reader of fields
// that change while it runs. It also makes changes for other threads (ports/change.h). Before it
// runs, the control thread writes the fields.
struct drb_worker {
	// Configuration, from the switch's config and ports: written by worker_setup.c, at the
	// start and for a reload; read by all stages.
	struct {
		struct drb_hop hop;
		struct drb_addr_plan addr;
		struct drb_class_tables class_tables;
		uint32_t number; // of this worker
		uint32_t mtu;    // bytes of the longest IP packet
		uint32_t down_ports, up_ports;
		uint32_t ports;    // all; down-ports first
		uint64_t hellos;   // ports that send hellos, a bit each
		uint32_t burst;    // most packets received in one call
		uint32_t tx_burst; // most packets handed to a driver in one call
		bool open;         // each port has a device and its queue takes a whole burst
		bool paced;        // some port has a rate
		bool waits;        // paced, or some rings count: queued packets have to wait
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
		uint64_t delayed; // ports whose link has a delay, a bit each; constant
		struct drb_receive_share share;    // each port's share of an iteration
		uint64_t answer_ns[DRB_PORTS_MAX]; // see exceptions.c
		uint64_t unflushed;                // ports to flush at the end of the iteration
		struct drb_delay_line line[DRB_PORTS_MAX];
	};

	// Routing: written by decisions, and the margins of both choices by threshold_in_force.c.
	struct {
		struct drb_rng rng;
		enum drb_scheme scheme;     // DRB_SCHEME_COUNT: a loaded one
		struct drb_guarded guarded; // a loaded scheme
		double param[DRB_SCHEME_PARAMS_MAX];
		struct drb_choice choice;        // of that scheme
		struct drb_choice packet_choice; // of a packet decided alone in flow unit
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
		uint64_t drained;            // a bit per port: only for packets that would be lost
		uint64_t off;                // a bit per port: packets in or out are dropped
		uint64_t silenced;           // dead because a worker is stuck
		struct drb_usable_ports links; // derived from dead, and from routes
		unsigned links_version;        // of published_links, when last read
		bool reroutes;                 // some port is dead, or an outage is known
		uint64_t *routes;             // ports to each rack, while an outage is known; owned
		unsigned routes_version;      // of its routes, when last read
		struct drb_liveness liveness; // of worker 0; due_ns UINT64_MAX in the others
		struct drb_hello_io hello_io; // of worker 0
	};

	// Counters: written by all stages, read by take_snapshot.c.
	struct {
		struct drb_routing_counters routing;
		struct drb_worker_counters counters;
		uint64_t drop[DRB_DROP_COUNT];
		uint64_t difference[DRB_DIFFERENCES]; // decisions by load of default - candidate
		// Histograms by drb_log_bin(): sizes of receive bursts, and queue lengths at some
		// of them.
		uint64_t burst_size[DRB_LOG_BINS], queue_length[DRB_LOG_BINS];
		uint32_t unsampled;  // bursts until queue lengths are sampled next
		uint64_t started_ns; // CLOCK_MONOTONIC when the loop began
		uint64_t host_fault_ns[DRB_HOST_FAULT_COUNT][DRB_PORTS_MAX]; // when last
									     // seen; 0: never
	};

	// Time and sleep: written by loop.c, idle.c and bulk_policy.c; all stages read now_ns.
	struct {
		uint64_t now_ns;       // CLOCK_MONOTONIC, when last read
		uint64_t review_ns;    // when to check interfaces for changes; UINT64_MAX: never
		uint64_t receive_ns;   // when to poll all ports even if nothing wakes the worker
		int changes_fd;        // see ports/interface.h; -1: no port needs it
		bool has_doorbells;    // some port has a doorbell
		bool no_wakeup;        // some port has neither descriptor nor doorbell: poll
		uint64_t backoff_ns;   // the next sleep, at most, if no_wakeup
		int epoll_fd, kick_fd; // the set has the kick, doorbells, hello sockets
		// Descriptors that wake a sleeping worker: the epoll set, then the sockets of
		// ports. With a socket in the set, every packet makes the kernel search for a
		// sleeper, even while the worker is awake. A socket outside is polled twice with
		// every sleep, even if nothing comes. Sockets of ports therefore enter the set
		// after a second without packets, and leave it at the next packet. Hello sockets
		// are in the set at other times.
		struct pollfd watched[DRB_PORTS_MAX + 1];
		uint32_t watched_count;
		bool all_in_set;
		bool hellos_tell;  // hello sockets are in the set, and wake the worker
		uint64_t woken_ns; // when a packet last ended a sleep
		struct {
			bool may_wait, waits; // waits: it is SCHED_BATCH
			uint64_t since_ns;    // begin of the current span
			uint64_t octets;      // bytes received before it
			uint64_t bulk_ns;     // when a span last had bulk traffic; 0: never
		} bulk;
	};

	struct drb_capture *capture; // copies packets for a reader; NULL: for none
	int told_fd;                 // for drb_worker_tell(); constant

	// Shared with other threads while the worker runs. Each field has one writer, named first:
	struct {
		struct drb_published_load published;        // this worker; the other workers read
		struct drb_published_links published_links; // worker 0; all workers read
		// This worker; worker 0 reads. Valid frames received by each port; not used in
		// worker 0.
		atomic_ullong published_frames[DRB_PORTS_MAX];
		// All workers; bits are only ever set.
		atomic_uint_least64_t
			host_faults_told[DRB_HOST_FAULT_COUNT]; // used in worker 0, a bit per port
		atomic_bool stop;    // the control thread; the worker and the heartbeat read
		atomic_bool running; // the worker; control thread and heartbeat read
		// The control thread, before changes_posted; the worker reads. NULL: only confirm
		// that it runs.
		struct drb_change *change;
		atomic_uint changes_posted;  // the control thread, by adding; the worker reads
		atomic_uint changes_made;    // the worker, by adding; the control thread reads
		atomic_int tid;              // the worker; the heartbeat reads
		atomic_uint beat_wanted;     // any thread, by adding; the worker reads
		atomic_uint beat;            // the worker: the last request that it answered
		atomic_bool silent;          // the heartbeat: a worker is stuck; the worker reads
		atomic_bool rests;           // worker 0: all links are at rest; the heartbeat reads
		atomic_uint snapshot_wanted; // the control thread, by adding; the worker reads
		atomic_uint snapshot_done;   // the worker, when `snapshot` answers that request
		struct drb_snapshot
			snapshot; // the worker; the control thread reads after snapshot_done
	};
};

// The first sleep after traffic, while some port has neither descriptor nor doorbell. Sleeps become
// longer while nothing comes.
#define DRB_BACKOFF_MIN_NS 10000

// The uplinks at which a packet queued now has to wait, one bit each: those with a rate, whose
// rings count, or whose driver has refused earlier packets. At other uplinks a packet departs on
// arrival (egress_queue.h). It stays queued until its burst is done, but that must not count as
// load, which would then depend on how many packets a driver hands over at once.
static inline uint32_t drb_waiting_uplinks(const struct drb_worker *w)
{
	uint32_t waiting = w->rings;

	for (uint32_t u = 0; (w->paced || w->queued > 0) && u < w->up_ports; u++) {
		uint32_t i = w->down_ports + u;
		waiting |= (uint32_t)(w->egress[i].paced || w->occupancy[i] > 0) << u;
	}
	return waiting;
}

// True if no uplink has a load, nor gets one by a burst.
static inline bool drb_uplinks_are_unloaded(const struct drb_worker *w)
{
	return !w->waits && w->queued == 0 && w->shared_load.most == 0;
}
