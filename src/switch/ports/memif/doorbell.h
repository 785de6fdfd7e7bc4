// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Doorbells of memif links. Each ring has a flag by which its receiver asks to be woken, and an
// eventfd that does it: the worker asks before it sleeps, and rings once at the end of an iteration,
// for all that it sent.
//
// Rings, their memory, and what the other end takes are learned from what the two ends say on the
// link's control channel (the memif protocol, version 2), of which the driver tells nothing. In its
// first message each end tells its name. Ours is DRB_MEMIF_NAME and a letter for all that it takes
// beyond the protocol; others have other names. Letters that are not known say nothing.

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/config/config.h"
#include "switch/ports/memif/memory.h"

// A place for a packet or a part of one.
struct drb_memif_desc {
	uint16_t flags, region;
	uint32_t length, offset; // octets; in the region
	uint32_t metadata;       // of the ends: DRB_MEMIF_UNFINISHED
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

enum { DRB_MEMIF_AWAKE = 1 }; // a ring's flag: its receiver polls and is not to be woken

// What a client of ours shares: descriptors of a ring (their logarithm), and octets of the buffer of each. Longer packets
// take several, so that the memory of a link is the same whatever the MTU of either end.
#define DRB_MEMIF_LOG2_RING 10
#define DRB_MEMIF_BUFFER 2048

// One end of a ring.
struct drb_doorbell {
	struct drb_memif_ring *ring; // NULL: no link now
	const struct drb_memif_memory *memory;
	int fd;         // the eventfd
	uint16_t size;  // most packets in the ring
	uint16_t empty; // head - tail when no packet is in the ring
	uint16_t next;  // the descriptor that this end comes to next, modulo 2^16
	uint16_t lent;  // of a receiver whose buffers a sender fills: up to which it has lent them
	uint32_t takes; // the other end: a bit for each of enum drb_memif_takes
};

#define DRB_MEMIF_NAME "drbswitch +"
#define DRB_MEMIF_NAME_LEN 32

// What an end may take, and its letter: X(id, letter).
#define DRB_MEMIF_TAKES(X)                                                                         \
	X(UNFINISHED, "u") // packets with unfinished checksums, which descriptors tell of

struct drb_port;

enum drb_memif_takes {
#define X(id, letter) DRB_MEMIF_TAKES_##id,
	DRB_MEMIF_TAKES(X)
#undef X
};

// How far the ends of a control channel have come.
enum drb_memif_stage { DRB_MEMIF_NEW, DRB_MEMIF_GREETED, DRB_MEMIF_JOINED };

// What one control channel has said. Zeroed: nothing yet.
struct drb_memif_talk {
	enum drb_memif_stage stage;
	struct drb_doorbell bell[2][DRB_WORKERS_MAX]; // [1]: from the client; .ring NULL: not named
	struct drb_memif_memory memory;
	int lent[DRB_MEMIF_REGIONS]; // the descriptors of regions that came; the driver's from JOINED on
	uint32_t lent_count;
	uint32_t takes; // the other end: a bit for each of enum drb_memif_takes
};

// A memif port.
struct drb_memif_link {
	const char *port; // its name, for messages
	bool server;
	uint32_t queues;           // pairs of rings that it has
	atomic_bool *connected;    // the port's
	const struct drb_port *of; // the port; NULL: nobody uses it
	// The rings of each queue, as long as the link is up. Of its worker alone, which takes them over from `owner`.
	struct drb_doorbell rx[DRB_WORKERS_MAX], tx[DRB_WORKERS_MAX];
	int epoll_fd[DRB_WORKERS_MAX];      // who sleeps on the bell of the rx queue; -1: nobody
	const struct drb_memif_talk *owner; // whose rings these are; NULL: no link
};

// With these first five fields. *connected becomes false, and says from now on whether there is a link. NULL: out of
// memory.
struct drb_memif_link *drb_memif_link_new(const struct drb_memif_link *of);
void drb_memif_link_free(struct drb_memif_link *link);
// From now on the bell of a receive queue, when there is one, is in this epoll set; -1: in none.
// Within drb_memif_enter() and drb_memif_leave(). 0 or -errno.
int drb_memif_link_watch(struct drb_memif_link *link, uint32_t queue, int epoll_fd);

// Workers use the rings that talk has named. False: they cannot.
bool drb_memif_link_connect(struct drb_memif_link *link, struct drb_memif_talk *talk);
// They use none any more. False: one may, which is stuck: what it uses stays for good.
bool drb_memif_link_disconnect(struct drb_memif_link *link);

// What this thread's driver says and hears until the next call is `talk`, about `link`; NULL: not
// listened to.
void drb_memif_listen(struct drb_memif_link *link, struct drb_memif_talk *talk);
// A control channel ends: the link is down if it was the link's.
void drb_memif_talk_over(struct drb_memif_link *link, struct drb_memif_talk *talk);

// Whether the other end takes that.
static inline bool drb_memif_takes(const struct drb_doorbell *b, enum drb_memif_takes what)
{
	return b->takes >> what & 1;
}

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
