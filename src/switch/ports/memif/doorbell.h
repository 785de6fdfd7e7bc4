// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The rings of a memif link (protocol version 2) and their doorbells. Each ring has a flag with which its
// receiver asks to be woken, and an eventfd that wakes it. A worker sets the flag before it sleeps, and rings
// at most once at the end of an iteration, for everything that it sent.

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "switch/ports/memif/memory.h"

// A place for a packet or a part of one.
struct drb_memif_desc {
	uint16_t flags, region;
	uint32_t length, offset; // octets; in the region
	uint32_t metadata;       // of the ends: see ring.c
};

enum { DRB_MEMIF_NEXT = 1 }; // a descriptor's flag: the packet goes on in the next one

// A ring, in memory that both ends share: any octets at any time, if the other end is hostile.
struct drb_memif_ring {
	uint32_t cookie;
	_Atomic uint16_t flags;
	_Atomic uint16_t head;
	_Alignas(64) _Atomic uint16_t tail;
	_Alignas(64) struct drb_memif_desc desc[];
};

#define DRB_MEMIF_COOKIE 0x3E31F20

enum { DRB_MEMIF_AWAKE = 1 }; // a ring's flag: its receiver polls and is not to be woken

// Descriptors of a ring (their logarithm), at most, and octets of the buffer of each. Longer packets take several
// buffers, so that the memory of a link is the same whatever the MTU of either end.
#define DRB_MEMIF_LOG2_RING 10
#define DRB_MEMIF_BUFFER 2048

// One end of a ring.
struct drb_doorbell {
	struct drb_memif_ring *ring; // NULL: no link now
	const struct drb_memif_memory *memory;
	int fd;    // the eventfd
	bool deaf; // it has kept who rings, and is not rung again
	// The receiver asks again before each sleep, so it is rung once. Others, as libmemif's, ask once for all packets.
	bool asks_each;
	uint16_t size;  // most packets in the ring
	uint16_t empty; // head - tail when no packet is in the ring
	uint16_t next;  // the descriptor that this end comes to next, modulo 2^16
	uint16_t lent;  // of a receiver whose buffers a sender fills: up to which it has lent them
	// Of a sender that fills its own: the offset of the first, and how many it has used since the ring was empty, modulo
	// 2^16. A ring that is empty most of the time has the first in memory, not one after the other.
	uint32_t buffers;
	uint16_t used;
};

// After the packets: wakes the receiver if it asks.
void drb_doorbell_ring(struct drb_doorbell *b);

// The receiver asks to be woken. A full barrier, then drb_doorbell_silent() must say that nothing
// came before; else, and after having slept, drb_doorbell_disarm().
static inline void drb_doorbell_arm(const struct drb_doorbell *b)
{
	if (b->ring)
		atomic_store_explicit(&b->ring->flags, 0, memory_order_relaxed);
}

// How many packets the ring holds: the sender has put them there and the receiver has not taken them.
// Never more than its size, whatever the peer writes there.
static inline uint32_t drb_doorbell_packets(const struct drb_doorbell *b)
{
	if (!b->ring)
		return 0;
	uint16_t between = (uint16_t)(atomic_load_explicit(&b->ring->head, memory_order_relaxed) -
				      atomic_load_explicit(&b->ring->tail, memory_order_relaxed));
	uint16_t packets = b->empty ? (uint16_t)(b->empty - between) : between;

	return packets < b->size ? packets : b->size;
}

static inline bool drb_doorbell_silent(const struct drb_doorbell *b)
{
	return drb_doorbell_packets(b) == 0;
}

static inline void drb_doorbell_disarm(const struct drb_doorbell *b)
{
	if (b->ring)
		atomic_store_explicit(&b->ring->flags, DRB_MEMIF_AWAKE, memory_order_relaxed);
}
