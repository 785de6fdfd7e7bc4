// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// An AF_XDP socket at one queue of an interface. Its memory is that of the pool of packet buffers: the
// kernel, or a card, writes frames directly into them. A frame longer than a page comes in parts (XDP_USE_SG,
// Linux 6.6).

#include <stdbool.h>
#include <stdint.h>

struct drb_send_result;
struct rte_mbuf;
struct rte_mempool;
struct xdp_desc;

// Most parts of a frame that is forwarded.
#define DRB_XSK_PARTS 3

// A ring that is shared with the kernel; its size is a power of two.
struct drb_xsk_ring {
	uint32_t *producer, *consumer; // indices that grow for ever; NULL: not mapped
	const uint32_t *flags;         // what the kernel wants
	void *entry;                   // of `size`
	uint32_t size;
	void *map;
	uint64_t map_size;
};

struct drb_xsk {
	int fd;                              // -1: not open
	struct drb_xsk_ring fill, rx;        // buffers for the kernel, and what it has made of them
	struct drb_xsk_ring tx, completions; // what it is to send, and what it has sent
	struct rte_mempool *pool;            // of buffers that are lent to the kernel
	struct rte_mempool
		*packets;   // of others: packets are copied there while the first runs short
	uint8_t *memory;    // of the pool, from a page's beginning
	uint32_t frame_max; // octets of the longest frame that is forwarded
	uint32_t part;      // octets of a frame that go into one buffer
	uint32_t parts;     // of the longest frame
	uint32_t lent;      // buffers that the kernel has to receive into
	uint32_t sending;   // places of `tx` that are taken, or have not come back
	bool starved;       // there were too few buffers to fill `fill`
};

// What a socket is for.
struct drb_xsk_use {
	const char *interface;
	uint32_t queue;
	struct rte_mempool *lent, *packets;
	uint32_t frame_max;
	uint32_t sockets; // that share the memory of this switch
	bool copy;        // the interface is known to have no other way
	bool sends;       // by its own ring
};

// Buffers that a socket has at most, in a fabric with frames of up to frame_max, as one of so many of its switch.
uint32_t drb_xsk_buffers(uint32_t frame_max, uint32_t sockets);

// Opens a socket. 0, or -errno with the step that failed, as "bind" in "cannot bind": -EINVAL of a bind, the kernel
// has no such sockets for frames in parts. To be closed in any case.
int drb_xsk_open(struct drb_xsk *x, const struct drb_xsk_use *use, const char **step);
void drb_xsk_close(struct drb_xsk *x);

// Up to count packets, which become the caller's. Of a frame longer than frame_max it yields the beginning, longer than
// that.
uint32_t drb_xsk_receive(struct drb_xsk *x, struct rte_mbuf **packets, uint32_t count);

// As send() of struct drb_port_kind, with checksums finished.
uint32_t drb_xsk_send(struct drb_xsk *x, struct rte_mbuf **packets, uint32_t count,
		      struct drb_send_result *result);
