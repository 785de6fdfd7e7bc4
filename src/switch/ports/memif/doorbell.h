// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The rings of a memif link (protocol version 2) and their doorbells. Each ring has a flag by which
// its receiver requests to be woken, and an eventfd that wakes it. A worker clears the flag before
// it sleeps. A worker rings a doorbell at most once, at the end of an iteration, for all packets
// that it has sent.

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "switch/ports/memif/memory.h"

// The descriptor of a packet or of a part of one.
struct drb_memif_desc {
	uint16_t flags, region;
	uint32_t length, offset; // bytes; offset in the region
	uint32_t metadata;       // free for both ends to use: see ring.c
};

enum { DRB_MEMIF_NEXT = 1 }; // a descriptor's flag: the packet goes on in the next one

// A ring, in memory that both ends share. If the other end is hostile, any byte may change at any
// time.
struct drb_memif_ring {
	uint32_t cookie;
	_Atomic uint16_t flags;
	_Atomic uint16_t head;
	_Alignas(64) _Atomic uint16_t tail;
	_Alignas(64) struct drb_memif_desc desc[];
};

#define DRB_MEMIF_COOKIE 0x3E31F20

enum { DRB_MEMIF_AWAKE = 1 }; // a ring's flag: its receiver polls and is not to be woken

// Binary logarithm of the most descriptors of a ring, and bytes of the buffer of each. Longer
// packets take several buffers, so that the memory of a link does not depend on the MTU of either
// end.
#define DRB_MEMIF_LOG2_RING 10
#define DRB_MEMIF_BUFFER 2048

// One end of a ring.
struct drb_doorbell {
	struct drb_memif_ring *ring; // NULL: no link now
	const struct drb_memif_memory *memory;
	int fd;          // the eventfd
	uint32_t worker; // number of the worker that rings it
	// The receiver clears the flag again before each sleep, so ringing once is enough for each
	// sleep. Other receivers, such as libmemif's, clear the flag once for all packets.
	bool asks_each;
	uint16_t size;  // most packets in the ring
	uint16_t empty; // head - tail when no packet is in the ring
	uint16_t next;  // the next descriptor of this end, modulo 2^16
	uint16_t lent;  // a client that receives: end of the buffers that it has lent
	// A client that sends: the offset of its first buffer, and the number of buffers used since
	// the ring was empty, modulo 2^16. A ring that is mostly empty thus reuses its first
	// buffers, which are in the cache.
	uint32_t buffers;
	uint16_t used;
	// How many times in a row ringing was slow. The worker that rings writes it; the control
	// thread reads it.
	_Atomic uint8_t slow;
	uint64_t rests_ns; // not rung before this time
};

// If ringing was slow this many times in a row, the doorbell rests: it is not rung for a second.
// After each further time the rest is twice as long.
#define DRB_DOORBELL_RESTS 2

// Prepares this number of workers to ring doorbells. Called before the first is rung, while no
// worker runs. The contexts stay until the process ends. Returns 0 or -errno. -ENOSYS: the kernel
// has no asynchronous I/O. -EAGAIN: the contexts of fs.aio-max-nr are used up.
int drb_doorbell_open(uint32_t workers);
// Called after packets were sent: wakes the receiver if it requests that. Waits for nothing,
// whatever the peer does with the eventfd. The peer may have very many descriptors watch the
// eventfd (epoll), and the kernel notifies them one after the other. Therefore a slow doorbell
// rests.
void drb_doorbell_ring(struct drb_doorbell *b);

// Requests that the receiver is woken. After a full barrier, it may sleep if drb_doorbell_silent().
// If not, and after it has slept, it must call drb_doorbell_disarm().
static inline void drb_doorbell_arm(const struct drb_doorbell *b)
{
	if (b->ring)
		atomic_store_explicit(&b->ring->flags, 0, memory_order_relaxed);
}

// Returns the packets in the ring, which the receiver has not taken yet. Never more than the ring's
// size, whatever the peer writes there.
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
