// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Accesses entries of an AF_XDP socket's rings, and buffers by their addresses in the memory that
// is lent to the kernel.

#include "switch/ports/if_xdp.h"
#include "switch/ports/xdp/xsk.h"

struct rte_mbuf;

// The low bits of an address are the offset of the buffer, the high bits that of the data in it.
#define DRB_XSK_BUFFER_MASK ((UINT64_C(1) << XSK_UNALIGNED_BUF_OFFSET_SHIFT) - 1)

static inline struct rte_mbuf *drb_xsk_buffer(const struct drb_xsk *x, uint64_t address)
{
	return (struct rte_mbuf *)(x->memory + (address & DRB_XSK_BUFFER_MASK));
}

static inline uint64_t drb_xsk_address(const struct drb_xsk *x, const struct rte_mbuf *m)
{
	return (uint64_t)((const uint8_t *)m - x->memory);
}

static inline struct xdp_desc *drb_xsk_place(const struct drb_xsk_ring *ring, uint32_t at)
{
	return (struct xdp_desc *)ring->entry + (at & (ring->size - 1));
}

static inline uint64_t *drb_xsk_entry(const struct drb_xsk_ring *ring, uint32_t at)
{
	return (uint64_t *)ring->entry + (at & (ring->size - 1));
}

// Reads an index that the other side writes.
static inline uint32_t drb_xsk_index(const uint32_t *index)
{
	return __atomic_load_n(index, __ATOMIC_ACQUIRE);
}

// True if the ring is processed only after a system call: the driver sleeps, or the kernel copies.
static inline bool drb_xsk_wants_waking(const struct drb_xsk_ring *ring)
{
	return __atomic_load_n(ring->flags, __ATOMIC_RELAXED) & XDP_RING_NEED_WAKEUP;
}

// Gives the kernel as many buffers as it may have. If too few are free, it gets the rest later.
void drb_xsk_fill(struct drb_xsk *x);
