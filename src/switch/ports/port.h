// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// One interface for every kind of port: packet sockets of our own, AF_XDP, memif and any DPDK driver.
// A port is where the frames of one link enter and leave this process. Each worker has its own queue
// at each port: struct drb_port_queue. Calls go from the datapath to here, never back.
//
// A kind is a constant table of functions, struct drb_port_kind. The datapath calls it once per
// burst, never per packet, through the inline functions below.
//
// Occupancy. The load that decisions compare is the length of the egress queue in front of the port
// (datapath/worker/egress_queue.h), which keeps what send() refused. Packets that send() took and the
// link did not are part of it with `occupancy: ring`, if the kind can tell how many these are:
// in_ring().
//
// Every packet that receive() yields is one frame in one buffer. Its checksum may be unfinished
// (unfinished.h): a kind whose other end could not finish it does so in send().

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/config/config.h"
#include "switch/ports/unfinished.h"

struct rte_mbuf;
struct rte_mempool;
struct drb_port_kind;
struct drb_send_result;

#define DRB_QUEUE_NONE UINT16_MAX

// One worker's part of a port. The kind's own structure begins with it. Written while ports are
// started and stopped; read by its worker.
struct drb_port_queue {
	// Of the kind, at hand for each burst.
	uint32_t (*receive)(struct drb_port_queue *q, struct rte_mbuf **packets, uint32_t count);
	uint32_t (*send)(struct drb_port_queue *q, struct rte_mbuf **packets, uint32_t count,
			 struct drb_send_result *result);
	uint32_t (*in_ring)(struct drb_port_queue *q); // NULL: the device cannot tell
	const struct drb_port_kind *kind;
	const struct drb_port *port;
	uint16_t rx, tx;   // numbers of the device's queues; rx DRB_QUEUE_NONE: receives nothing
	uint16_t send_max; // most packets that one call of send() should get; 0: any number
	bool flushed;      // the kind has flush()
	bool reviewed;     // review() is to be called after interfaces have changed
	bool unfinished;   // send() takes packets with unfinished checksums
	bool finishes;     // others do not, where some port yields such packets
	bool doorbell;     // watch() and what follows it tell of packets
	int fd;            // readable when packets wait; -1: none
};

// All of a port. Zeroed: no device.
struct drb_port {
	const struct drb_port_kind *kind; // NULL: no device
	const struct drb_port_setup *setup;
	struct rte_mempool *pool; // of received packets
	struct rte_mempool *lent; // of those of AF_XDP sockets
	uint32_t index, ports;    // of this port in its switch, which has so many
	uint32_t workers;         // each has a queue
	uint16_t rx_queues;       // 1..workers: how many of these receive
	// Its other end is a process that comes and goes (memif). Else it is always connected.
	bool needs_peer;
	// The other end is there. While it is not, neither receive() nor send() may be called. Written
	// while the workers are parked.
	bool connected;
	struct drb_port_queue *queue[DRB_WORKERS_MAX]; // of each worker
	uint32_t mtu, frame_max; // octets of the longest IP packet and frame that are forwarded
	void *own;               // the kind's
};

// How a port stops those who poll it, and lets them go on. From no worker.
struct drb_port_parking {
	// 0: none is inside a turn. -ETIMEDOUT: one is stuck, and none was stopped.
	int (*park)(void *workers);
	void (*unpark)(void *workers);
	void *workers;
};

// What became of packets that send() is done with.
struct drb_send_result {
	uint32_t lost;        // of them could not be sent
	uint64_t lost_octets; // of those
	uint32_t gso_packets; // of them went as part of longer TCP segments
};

// GSO packets of segments that receive() could not cut into packets (packet_socket/gso_packet.h), so far.
struct drb_bad_gso {
	uint64_t packets, octets;
};

struct drb_port_kind {
	const char *name; // for messages: "memif"

	// Before anything is started: what the config names is there. 0, or -EINVAL with a message
	// naming the config's line and the port. NULL: there is nothing to check.
	int (*check)(const char *config_path, const struct drb_port_setup *setup, uint32_t workers);
	// How many packet buffers a port of the kind holds at once, in a switch with this config.
	uint32_t (*buffers)(const struct drb_setup *setup);
	bool yields_unfinished; // receive() may yield packets with unfinished checksums
	// Opens the port: fills in rx_queues, queue[] and own. 0, or -errno with a message printed;
	// -EINVAL where the config is at fault.
	int (*start)(struct drb_port *port, const char *config_path);
	// Also of a port whose start failed halfway.
	void (*stop)(struct drb_port *port);

	// Up to count packets, one mbuf each, which become the caller's. Returns how many.
	uint32_t (*receive)(struct drb_port_queue *q, struct rte_mbuf **packets, uint32_t count);
	// Returns how many of the packets, from the first, the kind is done with, sent or lost; the
	// others stay the caller's. *result is zero beforehand.
	uint32_t (*send)(struct drb_port_queue *q, struct rte_mbuf **packets, uint32_t count,
			 struct drb_send_result *result);
	// At the end of an iteration that sent: tells the receiver. NULL: send() did.
	void (*flush)(struct drb_port_queue *q);

	// Packets that send() took and the other end of the link has not taken yet. By the worker, once a
	// burst where that counts as occupancy, and for readers of counters. NULL: it cannot tell.
	uint32_t (*in_ring)(struct drb_port_queue *q);

	// What wakes a sleeping worker is q->fd; else, where there is one, a doorbell; else nothing does,
	// and the worker looks again after a while.
	// The doorbell rings in this epoll set from now on, by edge; -1: in none. 0 or -errno.
	int (*watch)(struct drb_port_queue *q, int epoll_fd);
	// Asks for the bell. After all were asked and a full barrier, the worker may sleep if is_silent()
	// of each; then, or when it awakes, disarm().
	void (*arm)(struct drb_port_queue *q);
	bool (*is_silent)(struct drb_port_queue *q);
	void (*disarm)(struct drb_port_queue *q);

	// Asks the device for what takes it long: its carrier, its losses. True if the carrier is not what it
	// was. By one thread at a time, not by a worker. NULL: nothing takes long.
	bool (*look)(struct drb_port *port);
	// After the start and before workers run: drops what came before. NULL: nothing can have.
	void (*settle)(struct drb_port *port);
	// Whether something is plugged in. By the worker, between iterations: takes no lock of the kernel.
	bool (*carrier)(const struct drb_port *port);
	// Bit/s that the ends of the link agreed on, as of the last time that its carrier was there and
	// asked for; 0: unknown. Any thread. NULL: none of this kind can tell.
	uint64_t (*speed)(const struct drb_port *port);
	// Of the device, as the carrier; 0: it cannot tell. NULL: none of this kind can.
	uint16_t (*mtu)(const struct drb_port *port);
	// A socket that gets the hellos of this port and nothing else, and reads without waiting; the
	// queues get copies. -1: there is none. NULL: hellos come with the rest.
	int (*hello_fd)(const struct drb_port *port);
	// For readers of counters: "up", "down" or "gone". May wait for the kernel.
	const char *(*state)(const struct drb_port *port);
	// The device's address. False if it has none.
	bool (*mac)(const struct drb_port *port, uint8_t mac[6]);
	// Packets that were for this queue and were dropped before receive(), so far. A system call:
	// for readers of counters. NULL: it cannot tell.
	uint64_t (*missed)(struct drb_port_queue *q);
	// By the worker: nothing waits to be received. NULL: it cannot tell.
	bool (*is_empty)(const struct drb_port_queue *q);
	// By the worker. NULL: it receives no GSO packets.
	struct drb_bad_gso (*bad_gso)(const struct drb_port_queue *q);
	// Whether the port still has the interface it was opened at: not one that was deleted, even if
	// another has its name by now. Any thread. NULL: it has none.
	bool (*is_bound)(const struct drb_port *port);
	// Takes the interface that has the name now, with the workers parked where that must be. Not by
	// a worker, by one thread. 0 or -errno; -ENODEV: there is none; -ETIMEDOUT: a worker is stuck.
	// NULL: that takes a restart.
	int (*rebind)(struct drb_port *port, const struct drb_port_parking *parking);
	// Some interface has changed: looks whether it still sends as it does. NULL: that changes
	// nothing.
	void (*review)(struct drb_port_queue *q);
};

// Memory for a port's `own`, zeroed and on cache lines of its own, for stop() to free. NULL with a
// message printed.
void *drb_port_own(struct drb_port *port, size_t size);
// Makes q worker n's queue of the port. Without a descriptor.
void drb_port_add_queue(struct drb_port *port, uint32_t n, struct drb_port_queue *q);

// The receive queue of the device that worker n polls, DRB_QUEUE_NONE: none. A device with fewer queues
// than there are workers is one worker's or some workers', the next port the next ones'.
static inline uint32_t drb_port_rx_queue(const struct drb_port *port, uint32_t n)
{
	uint32_t first = port->rx_queues < port->workers ? port->index % port->workers : 0;
	uint32_t rx = (n + port->workers - first) % port->workers;

	return rx < port->rx_queues ? rx : DRB_QUEUE_NONE;
}

static inline bool drb_port_is_without_peer(const struct drb_port_queue *q)
{
	return !q->port->connected;
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
