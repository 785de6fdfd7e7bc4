// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// An AF_XDP socket at one queue of an interface. Its memory is the pool of packet buffers: the
// kernel, or a card, writes frames directly into them. A frame longer than a page comes in parts
// (XDP_USE_SG, Linux 6.6).

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
	uint32_t *producer, *consumer; // indices modulo 2^32; NULL: not mapped
	const uint32_t *flags;         // XDP_RING_NEED_WAKEUP
	void *entry;                   // array of `size` entries
	uint32_t size;
	void *map;
	uint64_t map_size;
};

struct drb_xsk {
	int fd;                              // -1: not open
	struct drb_xsk_ring fill, rx;        // free buffers for the kernel; received frames
	struct drb_xsk_ring tx, completions; // frames for the kernel to send; sent frames
	struct rte_mempool *pool;            // buffers that are lent to the kernel
	struct rte_mempool
		*packets;   // other buffers: packets are copied there while `pool` runs short
	uint8_t *memory;    // start of the pool's memory, rounded down to a page
	uint32_t frame_max; // bytes of the longest frame that is forwarded
	uint32_t part;      // bytes of a frame in one buffer
	uint32_t parts;     // buffers of the longest frame
	uint32_t lent;      // buffers that the kernel has for receiving
	uint32_t sending;   // entries of `tx` that have not been returned by completions
	bool starved;       // there were too few free buffers to complete `fill`
};

// The use of a socket.
struct drb_xsk_use {
	const char *interface;
	uint32_t queue;
	struct rte_mempool *lent, *packets;
	uint32_t frame_max;
	uint32_t sockets; // of this switch; they share its memory
	bool copy;        // the interface is known to support no zero copy
	bool sends;       // the socket also sends
};

// Returns the most buffers that a socket has, with frames of up to frame_max bytes, if the switch
// has this number of sockets.
uint32_t drb_xsk_buffers(uint32_t frame_max, uint32_t sockets);

// Opens a socket. Returns 0, or -errno; *step is then the step that failed, such as "bind" in
// "cannot bind". -EINVAL of a bind: the kernel has no such sockets for frames in parts. The caller
// must close it in any case.
int drb_xsk_open(struct drb_xsk *x, const struct drb_xsk_use *use, const char **step);
void drb_xsk_close(struct drb_xsk *x);

// Receives up to count packets, owned by the caller. Returns their number. A frame longer than
// frame_max is cut to frame_max + 1 bytes, so it is still too long.
uint32_t drb_xsk_receive(struct drb_xsk *x, struct rte_mbuf **packets, uint32_t count);

// Like send() of struct drb_port_kind, for packets with finished checksums.
uint32_t drb_xsk_send(struct drb_xsk *x, struct rte_mbuf **packets, uint32_t count,
		      struct drb_send_result *result);
