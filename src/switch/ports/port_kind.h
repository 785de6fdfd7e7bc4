// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A kind of port is a constant struct drb_port_kind, in a folder of its own beside this file.
// port_set.c lists all kinds. docs/development/extending.md explains how to add one.
//
// The comment of each function begins with its caller:
//   main    the main thread, before workers run or after they have ended; may block
//   worker  the worker that owns the queue, or worker 0 if there is no queue; takes no lock and
//           waits for nothing
//   other   the control thread, while workers run; waits for nothing, but passes calls that may
//           wait to another thread (run() of struct drb_port_users)
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

// The fate of the packets that send() is done with.
struct drb_send_result {
	uint32_t lost;        // packets that could not be sent
	uint64_t lost_octets; // their bytes
	uint32_t gso_packets; // packets that left as parts of GSO packets
};

// Packets that arrived for a queue and were lost before receive(), since the start.
struct drb_port_losses {
	uint64_t missed; // packets that found no space before receive()
	// GSO packets that could not be cut (packet_socket/gso_packet.h), and their bytes.
	uint64_t bad_gso, bad_gso_octets;
};

struct drb_wake_ops;
struct drb_card_ops;
struct drb_interface_ops;
struct drb_hello_ops;
struct drb_xdp_ops;

struct drb_port_kind {
	const char *name; // for messages: "memif"

	// Required.

	// main: opens the port and sets rx_queues, queue[] and own. -EINVAL: the config is wrong.
	int (*start)(struct drb_port *port, const char *config_path);
	// main: stops the port, also if its start failed halfway.
	void (*stop)(struct drb_port *port);
	// worker: receives up to count packets, one mbuf each, owned by the caller. Returns their
	// number.
	uint32_t (*receive)(struct drb_port_queue *q, struct rte_mbuf **packets, uint32_t count);
	// worker: sends packets, in order. Returns the number of packets that were sent or lost,
	// which the port then owns. The caller still owns the others. *result is zero beforehand.
	uint32_t (*send)(struct drb_port_queue *q, struct rte_mbuf **packets, uint32_t count,
			 struct drb_send_result *result);
	// worker (between iterations), other: true if the link has a carrier.
	bool (*carrier)(const struct drb_port *port);
	// other: writes the device's address. False: it has none.
	bool (*mac)(const struct drb_port *port, uint8_t mac[6]);

	// Optional: NULL or 0.

	// main, before anything is started: checks that the device of the config exists. 0, or
	// -EINVAL with a message that names the config's line.
	int (*check)(const char *config_path, const struct drb_port_setup *setup, uint32_t workers);
	// main: returns the most packet buffers that a port of this kind holds at once.
	uint32_t (*buffers)(const struct drb_setup *setup);
	// main: called after all ports have stopped, before their buffers are freed.
	void (*end)(void);
	// worker, at the end of an iteration that sent: notifies the receiver. NULL: send() does.
	void (*flush)(struct drb_port_queue *q);
	// worker: returns the packets that send() took and the other end has not taken yet, for
	// `occupancy: ring`.
	uint32_t (*in_ring)(struct drb_port_queue *q);
	// worker, when counters are read or a hello is made: returns the losses. May take a system
	// call.
	struct drb_port_losses (*losses)(struct drb_port_queue *q);
	// worker (between iterations): returns the bytes of the longest IP packet that the device
	// takes. 0: unknown.
	uint16_t (*mtu)(const struct drb_port *port);
	// other: returns the negotiated speed of the link in bit/s, at the last poll of its
	// carrier. 0: unknown.
	uint64_t (*speed)(const struct drb_port *port);
	// Groups of functions. A kind has all functions of a group or none, except where a comment
	// allows NULL.
	const struct drb_wake_ops *wake;           // NULL: a descriptor, or nothing, wakes workers
	const struct drb_card_ops *card;           // a device that takes long to answer
	const struct drb_interface_ops *interface; // an interface of the kernel
	const struct drb_hello_ops *hello;         // NULL: hellos come with other packets
	const struct drb_xdp_ops *xdp;             // AF_XDP sockets behind an XDP program
	// Flags.
	bool unfinished; // receive() may yield packets with unfinished checksums (unfinished.h)
	// The port is a device of DPDK. It counts against DPDK's limit of devices, and its driver
	// may need each buffer in contiguous memory.
	bool is_driven;
};

// Doorbells, for queues that have `doorbell` set instead of a descriptor. A doorbell wakes a
// sleeping worker.
struct drb_wake_ops {
	// main: adds the doorbell to this epoll set, edge-triggered. -1: to none any more.
	int (*watch)(struct drb_port_queue *q, int epoll_fd);
	// worker: requests the doorbell. The worker arms all queues, makes a full barrier, and may
	// sleep if is_silent() of each queue. If it may not sleep, and after it has slept, it calls
	// disarm().
	void (*arm)(struct drb_port_queue *q);
	bool (*is_silent)(struct drb_port_queue *q);
	void (*disarm)(struct drb_port_queue *q);
};

struct drb_card_ops {
	// other: reads the carrier and the losses from the device. Returns true if the carrier has
	// changed.
	bool (*look)(struct drb_port *port);
	// main: drops the frames that came before workers run.
	void (*settle)(struct drb_port *port);
};

struct drb_interface_ops {
	// worker, other: true if the port still has its interface, and no other one has got its
	// name.
	bool (*is_bound)(const struct drb_port *port);
	// other: binds the port to the interface that has its name now. -ENODEV: there is none.
	// -ETIMEDOUT: a worker is stuck. -EINPROGRESS: users->bound() receives the result later.
	// Prints nothing. NULL: a new interface needs a restart of the switch.
	int (*rebind)(struct drb_port *port);
	// other: returns the bytes of the port's rings that the kernel keeps in memory. NULL: none.
	uint64_t (*rings)(const struct drb_port *port);
};

// A frame from a socket that receives hellos.
struct drb_hello_taken {
	uint32_t length;    // bytes; 0: this frame was lost
	bool lost;          // this frame or others near it were lost, because the socket was full
	uint64_t waited_ns; // time in the socket
	uint8_t octets[DRB_HELLO_LEN_MAX];
};

struct drb_hello_ops {
	// main: returns a socket that receives this port's hellos. The queues receive copies of
	// hellos with news. -1: this port has no such socket.
	int (*fd)(const struct drb_port *port);
	// worker: reads the next frame from that socket. False: there is none.
	bool (*read)(const struct drb_port *port, struct drb_hello_taken *hello);
	// worker: returns the index of the interface for hellos to send, which may change later.
	// NULL or 0: send() sends them.
	unsigned (*interface)(const struct drb_port *port);
	// worker: true if no packet waits to be received.
	bool (*is_empty)(const struct drb_port_queue *q);
};

struct drb_xdp_ops {
	// main: returns the number of buffers that all such ports of a switch lend to the kernel.
	// *packed becomes false if no buffer may cross a page.
	uint32_t (*lent)(const struct drb_setup *setup, bool *packed);
	// other: reads the kernel's counters in front of the port. False: there is no XDP program.
	bool (*count)(const struct drb_port *port, struct drb_xdp_counters *counts);
};
