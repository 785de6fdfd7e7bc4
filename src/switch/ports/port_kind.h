// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What a kind of port must and may offer: a constant struct drb_port_kind, in a folder of its own beside this
// file; port_set.c has the list of all. docs/development/extending.md says how to add one.
//
// The comment of each function begins with its caller:
//   main    the main thread, before workers run or after they have ended; may block
//   worker  the worker that owns the queue, worker 0 where there is no queue; takes no lock and waits
//           for nothing
//   other   the control thread, while workers run; may wait for the kernel
// Errors are -errno; the function that returns one prints a message.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/config/config.h"
#include "core/counters.h"
#include "core/links/hello.h"

struct rte_mbuf;
struct drb_port;
struct drb_port_queue;

// What became of packets that send() is done with.
struct drb_send_result {
	uint32_t lost;        // of them could not be sent
	uint64_t lost_octets; // of those
	uint32_t gso_packets; // of them went as part of longer TCP segments
};

// What came for a queue and receive() never yielded, so far.
struct drb_port_losses {
	uint64_t missed; // packets that found no room before receive()
	// GSO packets that could not be cut (packet_socket/gso_packet.h).
	uint64_t bad_gso, bad_gso_octets;
};

struct drb_wake_ops;
struct drb_card_ops;
struct drb_interface_ops;
struct drb_hello_ops;
struct drb_xdp_ops;

struct drb_port_kind {
	const char *name; // for messages: "memif"

	// What each kind has.

	// main: opens the port, fills in rx_queues, queue[] and own. -EINVAL: the config is at fault.
	int (*start)(struct drb_port *port, const char *config_path);
	// main: also of a port whose start failed halfway.
	void (*stop)(struct drb_port *port);
	// worker: up to count packets, one mbuf each, which become the caller's. Returns how many.
	uint32_t (*receive)(struct drb_port_queue *q, struct rte_mbuf **packets, uint32_t count);
	// worker: how many of the packets, from the first, the kind is done with, sent or lost; the others stay the
	// caller's. *result is zero beforehand.
	uint32_t (*send)(struct drb_port_queue *q, struct rte_mbuf **packets, uint32_t count,
			 struct drb_send_result *result);
	// worker (between iterations), other: whether something is plugged in.
	bool (*carrier)(const struct drb_port *port);
	// other: the device's address. False if it has none.
	bool (*mac)(const struct drb_port *port, uint8_t mac[6]);

	// What a kind may have. NULL, 0: it has not.

	// main, before anything is started: what the config names is there. -EINVAL, with the config's line.
	int (*check)(const char *config_path, const struct drb_port_setup *setup, uint32_t workers);
	// main: how many packet buffers a port of this kind holds at once.
	uint32_t (*buffers)(const struct drb_setup *setup);
	// main: after all ports have stopped, before their buffers are freed.
	void (*end)(void);
	// worker, at the end of an iteration that sent: tells the receiver. NULL: send() does.
	void (*flush)(struct drb_port_queue *q);
	// worker: packets that send() took and the other end has not taken yet, for `occupancy: ring`.
	uint32_t (*in_ring)(struct drb_port_queue *q);
	// worker, where a reader of counters or a hello asks: may take a system call.
	struct drb_port_losses (*losses)(struct drb_port_queue *q);
	// worker (between iterations): octets of the longest IP packet that the device takes; 0: unknown.
	uint16_t (*mtu)(const struct drb_port *port);
	// other: bit/s that the ends of the link agreed on when its carrier was asked for last; 0: unknown.
	uint64_t (*speed)(const struct drb_port *port);
	// Groups, each of functions that a kind has all or none of.
	const struct drb_wake_ops *wake;           // NULL: a descriptor, or nothing, wakes workers
	const struct drb_card_ops *card;           // a device that takes long to answer
	const struct drb_interface_ops *interface; // an interface of the kernel
	const struct drb_hello_ops *hello;         // NULL: hellos come with the rest
	const struct drb_xdp_ops *xdp;             // AF_XDP sockets behind an XDP program
	// Flags.
	bool unfinished; // receive() may yield packets with unfinished checksums (unfinished.h)
	// By a driver of DPDK: takes one of its places for devices, and may want each buffer in one piece of memory.
	bool is_driven;
};

// A bell wakes a sleeping worker, where its queue has no descriptor and `doorbell` is set.
struct drb_wake_ops {
	// main: the bell rings in this epoll set from now on, by edge; -1: in none.
	int (*watch)(struct drb_port_queue *q, int epoll_fd);
	// worker: asks for the bell. After all were asked and a full barrier, the worker may sleep if is_silent() of
	// each; then, or when it awakes, disarm().
	void (*arm)(struct drb_port_queue *q);
	bool (*is_silent)(struct drb_port_queue *q);
	void (*disarm)(struct drb_port_queue *q);
};

struct drb_card_ops {
	// other: asks the device for its carrier and its losses. True if the carrier is not what it was.
	bool (*look)(struct drb_port *port);
	// main: drops what came before workers run.
	void (*settle)(struct drb_port *port);
};

struct drb_interface_ops {
	// worker, other: the port still has the interface it was opened at, not another that got its name.
	bool (*is_bound)(const struct drb_port *port);
	// other: takes the interface that has the name now. -ENODEV: there is none; -ETIMEDOUT: a worker is stuck.
	// Prints nothing. NULL: that takes a restart.
	int (*rebind)(struct drb_port *port);
	// other: octets of rings that the kernel keeps in memory for the port. NULL: none.
	uint64_t (*rings)(const struct drb_port *port);
};

// A frame of a socket of hellos.
struct drb_hello_taken {
	uint32_t length;    // 0: it is lost
	bool lost;          // it, or others before or after it, for want of room
	uint64_t waited_ns; // in the socket
	uint8_t octets[DRB_HELLO_LEN_MAX];
};

struct drb_hello_ops {
	// main: a socket that gets this port's hellos; the queues get copies of those that say something new. -1: there
	// is none here.
	int (*fd)(const struct drb_port *port);
	// worker: takes the next frame in that socket. False: there is none.
	bool (*read)(const struct drb_port *port, struct drb_hello_taken *hello);
	// worker: the interface that hellos leave by, which may be another after a while. NULL or 0: send() takes them.
	unsigned (*interface)(const struct drb_port *port);
	// worker: nothing waits to be received.
	bool (*is_empty)(const struct drb_port_queue *q);
};

struct drb_xdp_ops {
	// main: buffers lent to the kernel for all such ports of a switch. *packed becomes false if each must be in one
	// page.
	uint32_t (*lent)(const struct drb_setup *setup, bool *packed);
	// other: what the kernel has counted in front of the port so far. False: there is no program.
	bool (*count)(const struct drb_port *port, struct drb_xdp_counters *counts);
};
