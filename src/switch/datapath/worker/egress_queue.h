// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The egress queue of one port: a bounded FIFO and the link it feeds. Owned by one worker: no
// locks, no atomics. A packet leaves at its departure,
//     departure = max(arrival, previous departure) + size / rate,
// store and forward; it counts as queued until then. A worker that wakes late catches up by at most
// `catchup`; link time beyond that is lost and counted.
//
// The links of a slotted network have a common clock instead: they move one packet in each slot of
// CLOCK_MONOTONIC. Their departures are
//     departure = max(end of the slot of arrival, previous departure + slot),
// so it does not matter how late within its slot a packet arrived. A slow link among them takes
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

// The additional waiting time of packets, compared with a worker that always wakes in time.
struct drb_lateness {
	uint64_t ns;    // sum over packets: time after their departures, and by lost credit
	uint64_t slots; // packets of a slotted link that left a slot or more late
};

struct drb_egress {
	// Touched for every packet: one cache line.
	void **packet;   // ring of mask + 1 packets; packet i is at (i - base) & mask
	uint32_t *end;   // same ring: bytes up to the end of each packet, see drb_egress_end()
	uint64_t head;   // index of the next to leave = packets ever sent
	uint64_t tail;   // index of the next packet to be queued = packets ever queued
	uint64_t base;   // head when the queue was last empty
	uint64_t octets; // bytes of all packets queued
	uint32_t mask;
	uint32_t limit;    // most packets queued
	uint32_t max;      // before the last transmission, see drb_egress_max()
	bool paced;        // false: as fast as the driver takes it
	bool per_packet;   // the rate is in packets/s, whatever their size
	uint64_t discards; // packets that found the queue full
	// Touched for every packet only if paced.
	struct drb_instant departure; // of the head packet; empty: of the last one sent
	uint32_t passed;              // bytes before the head packet, modulo 2^32
	uint64_t time_per_unit;       // of one byte (or packet), in 2^-32 ns
	uint64_t slot_ns;             // departures are multiples of it; 0: at any time
	uint64_t catchup_ns;
	uint64_t queue_ns; // sum of departures - arrivals of all packets, modulo 2^64
	struct drb_lateness late;
	uint64_t lost_credit_ns, lost_credit_events;
	// behind_ns: time by which packets would leave sooner if no credit had been lost.
	// behind_from: index of the first packet that came after the loss. Earlier packets are
	// already counted as late by that time.
	uint64_t behind_ns, behind_from;
	uint32_t overhead; // bytes a frame takes beyond its own
} __attribute__((aligned(64)));

// The link that a queue feeds.
struct drb_link_model {
	struct drb_rate rate; // value 0: not paced
	// Slots that a packet takes, only with a rate in packets/s. 0: the link is not slotted. A
	// slot is rounded to ns.
	uint32_t slots;
	uint32_t overhead;   // bytes a frame takes beyond its own
	uint64_t catchup_ns; // link time that a late worker may recover
};

// 0 or -ENOMEM.
int drb_egress_init(struct drb_egress *q, uint32_t limit, const struct drb_link_model *link);

// A new ring for a queue that keeps its packets. A thread other than the queue's owner makes it.
struct drb_egress_ring {
	uint32_t (*size_of)(const void *packet); // bytes of a packet
	void **packet;                           // NULL: none
	uint32_t *end;
	uint32_t mask;
};

// Makes the ring that q needs for another limit and rate, but none if q's own ring serves. The new
// ring also holds all packets that may be queued now. 0 or -ENOMEM.
int drb_egress_ring_for(const struct drb_egress *q, uint32_t limit, const struct drb_rate *rate,
			uint32_t (*size_of)(const void *packet), struct drb_egress_ring *ring);
void drb_egress_ring_free(struct drb_egress_ring *ring);
// Changes the limit and the link at now_ns. Queued packets stay queued, even beyond the limit. The
// head packet leaves when it would have left before, or sooner if the new link is faster. If *ring
// has memory, the packets move there and *ring becomes the old one, for the caller to free.
void drb_egress_change(struct drb_egress *q, uint32_t limit, const struct drb_link_model *link,
		       uint64_t now_ns, struct drb_egress_ring *ring);
// Frees the ring. The caller has freed the packets that were queued.
void drb_egress_free(struct drb_egress *q);

static inline uint32_t drb_egress_length(const struct drb_egress *q)
{
	return (uint32_t)(q->tail - q->head);
}

// Most packets ever queued at once. A queue only grows between two transmissions, so its peak is
// recorded when packets are due, and here.
static inline uint32_t drb_egress_max(const struct drb_egress *q)
{
	return drb_egress_length(q) > q->max ? drb_egress_length(q) : q->max;
}

// Sum of the times that all packets have been queued until now_ns. Its growth over an interval,
// divided by the interval, is the mean length of the queue. 0 if the queue is not paced.
static inline uint64_t drb_egress_queue_ns(const struct drb_egress *q, uint64_t now_ns)
{
	return q->paced ? q->queue_ns + drb_egress_length(q) * now_ns : 0;
}

// The beginning of the slot that ns is in; ns itself if the link is not slotted.
static inline uint64_t drb_egress_slot(const struct drb_egress *q, uint64_t ns)
{
	return q->slot_ns ? ns - ns % q->slot_ns : ns;
}

// Ring index of the packet n positions behind the head.
static inline uint32_t drb_egress_ring_index(const struct drb_egress *q, uint64_t n)
{
	return (uint32_t)(q->head + n - q->base) & q->mask;
}

// Advances *t by the time of count packets with `octets` bytes in all.
static inline void drb_egress_serialise(const struct drb_egress *q, struct drb_instant *t,
					uint64_t count, uint64_t octets)
{
	uint64_t units = q->per_packet ? count : octets + count * q->overhead;
	unsigned __int128 time = (unsigned __int128)units * q->time_per_unit + t->fraction;

	t->ns += (uint64_t)(time >> 32);
	t->fraction = (uint32_t)time;
}

// Bytes ever queued, modulo 2^32: the end of the last packet of a paced queue. The ends of two
// packets give the bytes between them, and thus when the later one departs, without reading the
// packets in between.
static inline uint32_t drb_egress_end(const struct drb_egress *q)
{
	return q->passed + (uint32_t)q->octets;
}

// The bytes of the first count packets of a paced queue; count > 0.
static inline uint32_t drb_egress_octets(const struct drb_egress *q, uint32_t count)
{
	return q->end[drb_egress_ring_index(q, count - 1)] - q->passed;
}

// Sets the departure of a packet that finds the queue empty at now_ns.
static inline void drb_egress_first(struct drb_egress *q, uint32_t size, uint64_t now_ns)
{
	if (q->departure.ns < now_ns)
		q->departure = (struct drb_instant){.ns = drb_egress_slot(q, now_ns)};
	drb_egress_serialise(q, &q->departure, 1, size);
}

// Queues a packet that arrives at now_ns. False: the queue is full and the discard is counted; the
// packet stays the caller's to free.
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

// Returns the number of further packets that the queue can hold.
static inline uint32_t drb_egress_room(const struct drb_egress *q)
{
	uint32_t length = drb_egress_length(q);

	return length < q->limit ? q->limit - length : 0;
}

// True if the queue takes count more packets, contiguous in its ring.
static inline bool drb_egress_fits(const struct drb_egress *q, uint32_t count)
{
	uint32_t length = drb_egress_length(q);

	return length + count <= q->limit &&
	       drb_egress_ring_index(q, length) + count <= q->mask + 1;
}

// Address at which the next packet will be stored.
static inline void **drb_egress_end_of(const struct drb_egress *q)
{
	return &q->packet[(uint32_t)(q->tail - q->base) & q->mask];
}

// Appends count packets that arrive at now_ns. The caller has checked that they fit, and has stored
// their pointers at drb_egress_end_of(q) and, if the queue is paced, their ends.
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

// Gives up the link time that a late worker may not recover.
void drb_egress_lose_credit(struct drb_egress *q, uint64_t now_ns);

// Returns the number of packets of a paced queue that may leave now, at most max.
uint32_t drb_egress_departed(struct drb_egress *q, uint64_t now_ns, uint32_t max);

// Returns the number of packets that may leave now, at most max. drb_egress_front() has them in
// order.
static inline uint32_t drb_egress_due(struct drb_egress *q, uint64_t now_ns, uint32_t max)
{
	uint32_t length = drb_egress_length(q);

	q->max = drb_egress_max(q);
	max = length < max ? length : max;
	return q->paced ? drb_egress_departed(q, now_ns, max) : max;
}

// True if the packets of a queue without a rate are contiguous, from q->packet on.
static inline bool drb_egress_is_whole(const struct drb_egress *q)
{
	return !q->paced && q->head == q->base;
}

// The packets at the head. *count is reduced to those that are contiguous in the ring.
static inline void **drb_egress_front(const struct drb_egress *q, uint32_t *count)
{
	uint32_t at = drb_egress_ring_index(q, 0), straight = q->mask + 1 - at;

	*count = *count < straight ? *count : straight;
	return &q->packet[at];
}

// Advances the departure of a paced queue by count packets that leave at now_ns. They are due, and
// contiguous in the ring.
void drb_egress_depart(struct drb_egress *q, uint32_t count, uint64_t now_ns);

// Removes the first count packets, with `octets` bytes in all, which have left.
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

// Returns the departure of the packet n positions behind the head of a paced queue.
struct drb_instant drb_egress_departure(const struct drb_egress *q, uint32_t n);

// Empties the queue without departures. The packets are the caller's now.
void drb_egress_clear(struct drb_egress *q, uint64_t now_ns);

// Returns when the head packet leaves. UINT64_MAX: the queue is empty.
static inline uint64_t drb_egress_next_ns(const struct drb_egress *q)
{
	if (drb_egress_length(q) == 0)
		return UINT64_MAX;
	return q->paced ? q->departure.ns : 0;
}
