// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The receiving half of an AF_XDP socket: the kernel copies frames straight into packet buffers, one that is longer
// than a buffer into several (XDP_USE_SG, Linux 6.6), which is how bundles come.

#include <stdbool.h>
#include <stdint.h>

#include "switch/ports/packet_socket/rx_bundle.h"

struct rte_mbuf;
struct rte_mempool;
struct xdp_desc;

// A ring that is shared with the kernel; its size is a power of two.
struct drb_xsk_ring {
	uint32_t *producer, *consumer; // indices that grow for ever; NULL: not mapped
	void *entry;                   // of `size`
	uint32_t size;
	void *map;
	uint64_t map_size;
};

struct drb_xsk {
	int fd;                          // -1: not open
	struct drb_xsk_ring fill, rx;    // buffers for the kernel, and what it has made of them
	struct drb_xsk_ring completions; // of what is sent: nothing, but the kernel wants it
	struct rte_mempool *pool;
	uint8_t *memory; // of the pool, from a page's beginning
	uint32_t data_off, slot, frame_max;
	bool starved;                // there were too few buffers to fill `fill`
	struct drb_rx_bundle bundle; // what is left of it comes before the next frame
};

// Opens a socket at queue 0 of an interface. Frames may be bundles if told so. 0, -errno; -EINVAL: the
// kernel has no such sockets. To be closed in any case.
int drb_xsk_open(struct drb_xsk *x, const char *interface, struct rte_mempool *pool,
		 uint32_t frame_max, bool bundles);
void drb_xsk_close(struct drb_xsk *x);

// Up to count packets, which become the caller's. Of a frame longer than frame_max it yields the beginning, longer than
// that.
uint32_t drb_xsk_receive(struct drb_xsk *x, struct rte_mbuf **packets, uint32_t count);
