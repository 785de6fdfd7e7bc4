// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The egress queue of one port: a bounded FIFO and the link it feeds. Owned by one worker: no locks, no atomics. A packet leaves at its departure,
//     departure = max(arrival, previous departure) + size / rate,
// store and forward; it counts as queued until then. A worker that wakes late catches up by
// `catchup` at most; link time beyond that is lost and counted. The links of a slotted network have
// a common clock instead: they move one packet in each slot of CLOCK_MONOTONIC, so
//     departure = max(end of the slot of arrival, previous departure + slot),
// and how late within its slot a packet came from the machine does not matter. A slow link among them takes
// several of these slots for a packet.
// Packets are opaque pointers, so that this file is tested without DPDK.

#include <stdbool.h>
#include <stdint.h>

#include "common/cli/quantity.h"

// A point in time: CLOCK_MONOTONIC in ns, and a fraction of a ns in 2^-32.
struct drb_instant {
	uint64_t ns;
	uint32_t fraction;
};

// How much later packets left than if the worker had always woken in time.
struct drb_lateness {
	uint64_t ns;    // added up: after their departures, and those by lost credit
	uint64_t slots; // packets of a slotted link that left a slot or more late
};

struct drb_egress {
	// Touched for every packet: one cache line.
	void **packet; // ring of mask + 1 packets; the one with index i stands at (i - base) & mask
	uint32_t *end; // same ring: octets up to the end of each packet, see drb_egress_end()
	uint64_t head; // index of the next to leave = packets ever sent
	uint64_t tail; // index of the next to come = packets ever queued
	uint64_t base; // head when the queue was last empty
	uint64_t octets; // of all packets queued
	uint32_t mask;
	uint32_t limit;    // most packets queued
	uint32_t max;      // as of the last transmission, see drb_egress_max()
	bool paced;        // false: as fast as the driver takes it
	bool per_packet;   // the rate is in packets/s, whatever their size
	uint64_t discards; // packets that found the queue full
	// Touched for every packet only if paced.
	struct drb_instant departure; // of the head packet; empty: of the last one sent
	uint32_t passed;              // where the head packet begins
	uint64_t time_per_unit;       // of one octet (or packet), in 2^-32 ns
	uint64_t slot_ns;             // departures are multiples of it; 0: at any time
	uint64_t catchup_ns;
	uint64_t queue_ns; // departures less arrivals of all packets, modulo 2^64
	struct drb_lateness late;
	uint64_t lost_credit_ns, lost_credit_events;
	// By how much it would have sent all that is queued sooner without lost credit, and the index of the first
	// packet that came since: those before it are late by it already.
	uint64_t behind_ns, behind_from;
	uint32_t overhead; // octets a frame takes beyond its own
} __attribute__((aligned(64)));

// The link that a queue feeds.
struct drb_link_model {
	struct drb_rate rate; // value 0: not paced
	// Only with a rate in packets/s: how many slots a packet takes; 0: the link is not slotted. A slot
	// is rounded to ns.
	uint32_t slots;
	uint32_t overhead;   // octets a frame takes beyond its own
	uint64_t catchup_ns; // link time that a late wake-up may make up for
};

// 0 or -ENOMEM.
int drb_egress_init(struct drb_egress *q, uint32_t limit, const struct drb_link_model *link);

// Another ring for a queue that goes on with it, made by somebody else than the owner of the queue.
struct drb_egress_ring {
	uint32_t (*size_of)(const void *packet); // octets of a packet
	void **packet;                           // NULL: none
	uint32_t *end;
	uint32_t mask;
};

// The ring that q needs to go on with another limit and rate; none if it has it. Room for what may
// be queued now, too. 0 or -ENOMEM.
int drb_egress_ring_for(const struct drb_egress *q, uint32_t limit, const struct drb_rate *rate,
			uint32_t (*size_of)(const void *packet), struct drb_egress_ring *ring);
void drb_egress_ring_free(struct drb_egress_ring *ring);
// Goes on with another limit and link at now_ns; what is queued stays queued, even beyond the
// limit. The head packet leaves when it would have, or sooner if the new link is faster. If ring
// has room, the packets move there and *ring becomes the old one, to be freed.
void drb_egress_change(struct drb_egress *q, uint32_t limit, const struct drb_link_model *link,
		       uint64_t now_ns, struct drb_egress_ring *ring);
// Frees the ring; packets still queued are the caller's to free before.
void drb_egress_free(struct drb_egress *q);

static inline uint32_t drb_egress_length(const struct drb_egress *q)
{
	return (uint32_t)(q->tail - q->head);
}

// Most packets ever queued at once. A queue only grows between two transmissions, so its peaks are
// looked at when some are due, and here.
static inline uint32_t drb_egress_max(const struct drb_egress *q)
{
	return drb_egress_length(q) > q->max ? drb_egress_length(q) : q->max;
}

// How long all packets have been queued until now_ns, added up: its growth over a time is the mean
// length of the queue. 0 if the queue is not paced.
static inline uint64_t drb_egress_queue_ns(const struct drb_egress *q, uint64_t now_ns)
{
	return q->paced ? q->queue_ns + drb_egress_length(q) * now_ns : 0;
}

// The beginning of the slot of a slotted link that ns is in; else ns itself.
static inline uint64_t drb_egress_slot(const struct drb_egress *q, uint64_t ns)
{
	return q->slot_ns ? ns - ns % q->slot_ns : ns;
}

// Where the packet n places behind the head stands in the ring.
static inline uint32_t drb_egress_ring_index(const struct drb_egress *q, uint64_t n)
{
	return (uint32_t)(q->head + n - q->base) & q->mask;
}

// Moves a departure on by the time of count packets of so many octets in all.
static inline void drb_egress_serialise(const struct drb_egress *q, struct drb_instant *t,
					uint64_t count, uint64_t octets)
{
	uint64_t units = q->per_packet ? count : octets + count * q->overhead;
	unsigned __int128 time = (unsigned __int128)units * q->time_per_unit + t->fraction;

	t->ns += (uint64_t)(time >> 32);
	t->fraction = (uint32_t)time;
}

// Octets ever queued, modulo 2^32: where the last packet of a paced queue ends. From the ends of
// two packets follows how many octets are between them, and so when the later one departs, without
// a look at those in between.
static inline uint32_t drb_egress_end(const struct drb_egress *q)
{
	return q->passed + (uint32_t)q->octets;
}

// The octets of the first count packets of a paced queue; count > 0.
static inline uint32_t drb_egress_octets(const struct drb_egress *q, uint32_t count)
{
	return q->end[drb_egress_ring_index(q, count - 1)] - q->passed;
}

// The departure of a packet that finds the queue empty at now_ns.
static inline void drb_egress_first(struct drb_egress *q, uint32_t size, uint64_t now_ns)
{
	if (q->departure.ns < now_ns)
		q->departure = (struct drb_instant){.ns = drb_egress_slot(q, now_ns)};
	drb_egress_serialise(q, &q->departure, 1, size);
}

// Queues a packet that arrives at now_ns. False: the queue is full, the packet is the caller's to
// free, the discard is counted.
static inline bool drb_egress_push(struct drb_egress *q, void *packet, uint32_t size,
				   uint64_t now_ns)
{
	uint32_t length = drb_egress_length(q), at = drb_egress_ring_index(q, length);

	if (__builtin_expect(length >= q->limit, 0)) {
		q->discards++;
		return false;
	}
	if (q->paced) {
		if (length == 0)
			drb_egress_first(q, size, now_ns);
		q->end[at] = drb_egress_end(q) + size;
		q->queue_ns -= now_ns;
	}
	q->packet[at] = packet;
	q->tail++;
	q->octets += size;
	return true;
}

// How many more packets have room.
static inline uint32_t drb_egress_room(const struct drb_egress *q)
{
	uint32_t length = drb_egress_length(q);

	return length < q->limit ? q->limit - length : 0;
}

// True if count more packets have room, in one piece of the ring.
static inline bool drb_egress_fits(const struct drb_egress *q, uint32_t count)
{
	uint32_t length = drb_egress_length(q);

	return length + count <= q->limit &&
	       drb_egress_ring_index(q, length) + count <= q->mask + 1;
}

// Where the next packet to come will stand.
static inline void **drb_egress_end_of(const struct drb_egress *q)
{
	return &q->packet[(uint32_t)(q->tail - q->base) & q->mask];
}

// The caller has put count packets, that fit, at drb_egress_end_of(q) and on:
// their pointers and, if the queue is paced, their ends. They arrive at now_ns.
static inline void drb_egress_append(struct drb_egress *q, uint32_t count, uint64_t octets,
				     uint64_t now_ns)
{
	if (q->paced) {
		if (count > 0 && q->head == q->tail)
			drb_egress_first(q, drb_egress_octets(q, 1), now_ns);
		q->queue_ns -= count * now_ns;
	}
	q->tail += count;
	q->octets += octets;
}

// Gives up the link time that a late wake-up may not make up for.
void drb_egress_lose_credit(struct drb_egress *q, uint64_t now_ns);

// How many packets of a paced queue may leave now, at most max.
uint32_t drb_egress_departed(struct drb_egress *q, uint64_t now_ns, uint32_t max);

// How many packets may leave now, at most max. They stand in order from drb_egress_front().
static inline uint32_t drb_egress_due(struct drb_egress *q, uint64_t now_ns, uint32_t max)
{
	uint32_t length = drb_egress_length(q);

	q->max = drb_egress_max(q);
	max = length < max ? length : max;
	return q->paced ? drb_egress_departed(q, now_ns, max) : max;
}

// True if the packets of a queue without a rate stand in one piece, from q->packet on.
static inline bool drb_egress_is_whole(const struct drb_egress *q)
{
	return !q->paced && q->head == q->base;
}

// The packets at the head; *count is cut to what stands contiguous in the ring.
static inline void **drb_egress_front(const struct drb_egress *q, uint32_t *count)
{
	uint32_t at = drb_egress_ring_index(q, 0), straight = q->mask + 1 - at;

	*count = *count < straight ? *count : straight;
	return &q->packet[at];
}

// Moves the departure of a paced queue on by count packets that leave at now_ns: some of those that
// are due, as far as they stand in one piece of the ring.
void drb_egress_depart(struct drb_egress *q, uint32_t count, uint64_t now_ns);

// The first count packets, of so many octets, have left.
static inline void drb_egress_pop(struct drb_egress *q, uint32_t count, uint64_t octets,
				  uint64_t now_ns)
{
	if (q->paced) {
		drb_egress_depart(q, count, now_ns);
		q->queue_ns += count * now_ns;
		q->passed += (uint32_t)octets;
	}
	q->head += count;
	q->octets -= octets;
	if (q->head == q->tail)
		q->base = q->head;
}

// When the packet n places behind the head of a paced queue departs.
struct drb_instant drb_egress_departure(const struct drb_egress *q, uint32_t n);

// All packets, of which none departs, are somebody else's now.
void drb_egress_clear(struct drb_egress *q, uint64_t now_ns);

// When the head packet leaves; UINT64_MAX if the queue is empty.
static inline uint64_t drb_egress_next_ns(const struct drb_egress *q)
{
	if (drb_egress_length(q) == 0)
		return UINT64_MAX;
	return q->paced ? q->departure.ns : 0;
}
