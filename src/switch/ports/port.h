// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// One interface for every kind of port: packet sockets of our own, AF_XDP, memif and any DPDK driver.
// A port is where the frames of one link enter and leave this process. Each worker has its own queue
// at each port: struct drb_port_queue. Calls go from the datapath to here, never back.
//
// A kind is a constant table of functions, struct drb_port_kind (port_kind.h). The datapath calls it once
// per burst, never per packet, through the inline functions below.
//
// Occupancy. The load that decisions compare is the length of the egress queue in front of the port
// (datapath/worker/egress_queue.h), which keeps what send() refused. Packets that send() took and the
// link did not are part of it with `occupancy: ring`, if the kind can tell how many these are:
// in_ring().
//
// Every packet that receive() yields is one frame in one buffer. Its checksum may be unfinished
// (unfinished.h): a kind whose other end could not finish it does so in send().

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/config/config.h"
#include "switch/ports/port_kind.h"
#include "switch/ports/unfinished.h"

struct rte_mempool;

#define DRB_QUEUE_NONE UINT16_MAX

// One worker's part of a port. The kind's own structure begins with it. Written while ports are
// started and stopped; read by its worker.
struct drb_port_queue {
	// Of the kind, at hand for each burst.
	uint32_t (*receive)(struct drb_port_queue *q, struct rte_mbuf **packets, uint32_t count);
	uint32_t (*send)(struct drb_port_queue *q, struct rte_mbuf **packets, uint32_t count,
			 struct drb_send_result *result);
	uint32_t (*in_ring)(struct drb_port_queue *q); // NULL: the device cannot tell
	// Some interface has changed: looks whether it still sends as it does. NULL: that changes nothing.
	void (*review)(struct drb_port_queue *q);
	const struct drb_port_kind *kind;
	const struct drb_port *port;
	uint16_t rx, tx;   // numbers of the device's queues; rx DRB_QUEUE_NONE: receives nothing
	uint16_t send_max; // most packets that one call of send() should get; 0: any number
	bool flushed;      // the kind has flush()
	bool unfinished;   // send() takes packets with unfinished checksums
	bool finishes;     // others do not, where some port yields such packets
	bool doorbell;     // the kind's bell tells of packets
	// The other end is there: always, but for memif. While it is not, neither receive() nor send() may be called.
	// Written by the worker where it takes up a link or lets go of one.
	bool connected;
	int fd; // readable when packets wait; -1: none
};

// All of a port. Zeroed: no device.
struct drb_port {
	const struct drb_port_kind *kind; // NULL: no device
	const struct drb_port_setup *setup;
	const struct drb_addr_plan *plan;   // of the fabric
	struct rte_mempool *pool;           // of received packets
	struct rte_mempool *lent;           // of those of AF_XDP sockets
	uint32_t index, ports;              // of this port in its switch, which has so many
	uint32_t workers;                   // each has a queue
	uint16_t rx_queues;                 // 1..workers: how many of these receive
	const struct drb_port_users *users; // NULL: none yet
	struct drb_port_queue *queue[DRB_WORKERS_MAX]; // of each worker
	uint32_t mtu, frame_max; // octets of the longest IP packet and frame that are forwarded
	void *own;               // the kind's
};

// A change of what worker n has of a port, which it makes itself, between two bursts: it allocates, frees, logs and waits
// for nothing.
typedef void drb_port_change(uint32_t n, void *context);

// Those who use a port. Of the control thread.
struct drb_port_users {
	// All of them make it: 0, -ETIMEDOUT or -EINPROGRESS, as drb_workers_apply() (datapath/workers.h) says.
	int (*apply)(void *workers, drb_port_change *change, void *context);
	void *workers;
	// A packet socket, where this process may not make one any more. A descriptor, or -errno.
	int (*open_socket)(void);
};

// Has its users, where there are any, make a change: see above. Without them it is made here.
int drb_port_apply(const struct drb_port *port, drb_port_change *change, void *context);

// Memory for a port's `own`, zeroed and on cache lines of its own, for stop() to free. NULL with a
// message printed.
void *drb_port_own(struct drb_port *port, size_t size);
// Makes q worker n's queue of the port. Without a descriptor.
void drb_port_add_queue(struct drb_port *port, uint32_t n, struct drb_port_queue *q);

// Packets that the port's link carries while a switch has no CPU time; after that, neighbours take it for dead and use
// other paths. 0: the link has no rate.
double drb_port_carries_meanwhile(const struct drb_port *port);

// For readers of counters: "up", "down" or "gone". May wait for the kernel.
const char *drb_port_state(const struct drb_port *port);

// The receive queue of the device that worker n polls, DRB_QUEUE_NONE: none. A device with fewer queues
// than there are workers is one worker's or some workers', the next port the next ones'.
static inline uint32_t drb_port_rx_queue(const struct drb_port *port, uint32_t n)
{
	uint32_t first = port->rx_queues < port->workers ? port->index % port->workers : 0;
	uint32_t mine = (n + port->workers - first) % port->workers;

	return mine < port->rx_queues ? mine : DRB_QUEUE_NONE;
}

// Zero of a queue that receives nothing.
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
