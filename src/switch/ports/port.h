// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// One interface for every kind of port: packet sockets, AF_XDP, memif and any DPDK driver.
// The frames of one link enter and leave this process at a port. Each worker has its own queue
// at each port: struct drb_port_queue. The datapath calls ports; ports never call the datapath.
//
// A kind is a constant table of functions, struct drb_port_kind (port_kind.h). The datapath calls
// it once per burst, never per packet, through the inline functions below.
//
// Occupancy. The load that decisions compare is the length of the egress queue in front of the port
// (datapath/worker/egress_queue.h), which keeps the packets that send() refused. With `occupancy:
// ring`, it includes the packets that send() took and the link has not taken yet, if the kind can
// count them: in_ring().
//
// Every packet that receive() yields is one frame in one buffer. Its checksum may be unfinished
// (unfinished.h). If the other end of a port cannot finish it, drb_port_send() or the kind does.

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/config/config.h"
#include "switch/ports/change.h"
#include "switch/ports/port_kind.h"
#include "switch/ports/unfinished.h"

struct rte_mempool;

#define DRB_QUEUE_NONE UINT16_MAX

// One worker's part of a port. The kind's own structure begins with it. Written while ports are
// started and stopped; read by its worker.
struct drb_port_queue {
	// Copies from the kind, so that a burst needs no other cache line.
	uint32_t (*receive)(struct drb_port_queue *q, struct rte_mbuf **packets, uint32_t count);
	uint32_t (*send)(struct drb_port_queue *q, struct rte_mbuf **packets, uint32_t count,
			 struct drb_send_result *result);
	uint32_t (*in_ring)(struct drb_port_queue *q); // NULL: the device cannot tell
	// Called when an interface or `paced` has changed. Checks how the queue may send. NULL:
	// nothing to check.
	void (*review)(struct drb_port_queue *q);
	const struct drb_port_kind *kind;
	const struct drb_port *port;
	uint16_t rx, tx;   // numbers of the device's queues; rx DRB_QUEUE_NONE: receives nothing
	uint16_t send_max; // most packets in one call of send(); 0: any number
	bool flushed;      // the kind has flush()
	bool unfinished;   // send() takes packets with unfinished checksums
	bool finishes;     // finish checksums before send(), as some port yields unfinished ones
	bool doorbell;     // the kind's doorbell announces packets
	bool paced;        // the port has a rate; written by the worker
	// The other end exists; always true except for memif. Otherwise neither receive() nor
	// send() may be called. Written by the worker when it gets or loses a link.
	bool connected;
	int fd; // readable when packets wait; -1: none
};

// A port. All zero: it has no device.
struct drb_port {
	const struct drb_port_kind *kind; // NULL: no device
	const struct drb_port_setup *setup;
	const struct drb_addr_plan *plan;              // of the fabric
	struct rte_mempool *pool;                      // of received packets
	struct rte_mempool *lent;                      // of packets received by AF_XDP sockets
	uint32_t index, ports;                         // this port's number; ports of the switch
	uint32_t workers;                              // each has a queue
	uint16_t rx_queues;                            // 1..workers: number of queues that receive
	const struct drb_port_users *users;            // NULL: none yet
	struct drb_port_queue *queue[DRB_WORKERS_MAX]; // by worker
	uint32_t mtu, frame_max; // bytes of the longest IP packet and frame that are forwarded
	void *own;               // the kind's own data
};

// Callbacks of the code that uses ports, for the control thread.
struct drb_port_users {
	void *context;
	// Has all workers make the change, like drb_change_post() (datapath/changes.h).
	void (*post)(void *context, struct drb_change *change);
	// Called when a rebind() is done that returned -EINPROGRESS. rc: 0, or -errno of
	// rebind().
	void (*bound)(void *context, struct drb_port *port, int rc);
	// Opens a packet socket after this process has dropped its rights. Returns a descriptor or
	// -errno. May wait, so only work() of run() may call it.
	int (*open_socket)(void);
	// Calls work(), which may wait, in another thread; then done() in the control thread.
	void (*run)(void *context, void (*work)(void *task), void (*done)(void *task), void *task);
};

// Allocates a port's `own`, zeroed and on cache lines of its own. stop() frees it. NULL with a
// message printed: no memory.
void *drb_port_own(struct drb_port *port, size_t size);
// Makes q the queue of worker n at the port, without a descriptor.
void drb_port_add_queue(struct drb_port *port, uint32_t n, struct drb_port_queue *q);

// Returns the packets that the port's link carries while a switch gets no CPU, until its neighbours
// consider it dead and use other paths. 0: the link has no rate.
double drb_port_carries_meanwhile(const struct drb_port *port);

// Returns "up", "down" or "gone", for readers of counters. May wait for the kernel.
const char *drb_port_state(const struct drb_port *port);

// Returns the receive queue of the device that worker n polls. DRB_QUEUE_NONE: none. If a device
// has fewer queues than there are workers, only some workers poll it. Polling of the next port then
// begins with the next worker.
static inline uint32_t drb_port_rx_queue(const struct drb_port *port, uint32_t n)
{
	uint32_t first = port->rx_queues < port->workers ? port->index % port->workers : 0;
	uint32_t mine = (n + port->workers - first) % port->workers;

	return mine < port->rx_queues ? mine : DRB_QUEUE_NONE;
}

// Returns zeros for a queue that receives nothing.
static inline struct drb_port_losses drb_port_losses(struct drb_port_queue *q)
{
	if (q->rx == DRB_QUEUE_NONE || !q->kind->losses)
		return (struct drb_port_losses){0};
	return q->kind->losses(q);
}

static inline bool drb_port_is_without_peer(const struct drb_port_queue *q)
{
	return !q->connected;
}

static inline uint32_t drb_port_receive(struct drb_port_queue *q, struct rte_mbuf **packets,
					uint32_t count)
{
	return q->receive(q, packets, count);
}

static inline uint32_t drb_port_send(struct drb_port_queue *q, struct rte_mbuf **packets,
				     uint32_t count, struct drb_send_result *result)
{
	*result = (struct drb_send_result){0};
	if (q->finishes)
		drb_finish_checksums(packets, count);
	return q->send(q, packets, count, result);
}
