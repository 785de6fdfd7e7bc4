// SPDX-License-Identifier: BSD-3-Clause
#include "switch/datapath/worker/egress_queue.h"

#include <errno.h>
#include <stdlib.h>

static int make_ring(struct drb_egress_ring *ring, uint32_t limit, bool paced)
{
	uint32_t room = 1;

	while (room < limit)
		room *= 2;
	ring->mask = room - 1;
	ring->packet = calloc(room, sizeof(*ring->packet));
	ring->end = calloc(paced ? room : 1, sizeof(*ring->end));
	if (ring->packet && ring->end)
		return 0;
	drb_egress_ring_free(ring);
	return -ENOMEM;
}

int drb_egress_ring_for(const struct drb_egress *q, uint32_t limit, const struct drb_rate *rate,
			uint32_t (*size_of)(const void *packet), struct drb_egress_ring *ring)
{
	bool paced = rate->value > 0;

	*ring = (struct drb_egress_ring){.size_of = size_of};
	if (limit <= q->mask + 1 && (!paced || q->paced))
		return 0;
	return make_ring(ring, limit > q->mask + 1 ? limit : q->mask + 1, paced);
}

void drb_egress_ring_free(struct drb_egress_ring *ring)
{
	free(ring->packet);
	free(ring->end);
	*ring = (struct drb_egress_ring){0};
}

static void set_link(struct drb_egress *q, const struct drb_link_model *link)
{
	const struct drb_rate *rate = &link->rate;

	q->slot_ns = 0;
	q->paced = rate->value > 0;
	q->per_packet = rate->per_packet;
	q->overhead = link->overhead;
	q->catchup_ns = link->catchup_ns;
	if (q->paced) {
		double seconds = rate->per_packet ? 1 / rate->value : 8 / rate->value;
		q->time_per_unit = (uint64_t)(seconds * 1e9 * 0x1p32 + 0.5);
		if (link->slots) {
			q->slot_ns = (uint64_t)(seconds * 1e9 / link->slots + 0.5);
			q->time_per_unit = q->slot_ns * link->slots << 32;
		}
	}
}

int drb_egress_init(struct drb_egress *q, uint32_t limit, const struct drb_link_model *link)
{
	struct drb_egress_ring ring;

	*q = (struct drb_egress){0};
	if (make_ring(&ring, limit, link->rate.value > 0) < 0)
		return -ENOMEM;
	q->packet = ring.packet;
	q->end = ring.end;
	q->mask = ring.mask;
	q->limit = limit;
	set_link(q, link);
	return 0;
}

static void swap_ring(struct drb_egress *q, struct drb_egress_ring *ring)
{
	struct drb_egress_ring old = {ring->size_of, q->packet, q->end, q->mask};

	for (uint32_t i = 0, end = q->passed; i < drb_egress_length(q); i++) {
		ring->packet[i] = q->packet[drb_egress_ring_index(q, i)];
		if (q->paced)
			ring->end[i] = end += ring->size_of(ring->packet[i]);
	}
	q->packet = ring->packet;
	q->end = ring->end;
	q->mask = ring->mask;
	q->base = q->head;
	*ring = old;
}

void drb_egress_change(struct drb_egress *q, uint32_t limit, const struct drb_link_model *link,
		       uint64_t now_ns, struct drb_egress_ring *ring)
{
	uint32_t length = drb_egress_length(q);
	bool was_paced = q->paced;

	q->limit = limit;
	set_link(q, link);
	if (ring->packet)
		swap_ring(q, ring);
	// queue_ns covers the queued packets from now on, or only until now.
	if (q->paced && !was_paced)
		q->queue_ns -= length * now_ns;
	if (!q->paced && was_paced) {
		q->queue_ns += length * now_ns;
		q->behind_ns = 0;
	}
	if (!q->paced || length == 0)
		return;
	struct drb_instant sooner = {.ns = drb_egress_slot(q, now_ns)};
	drb_egress_serialise(q, &sooner, 1, drb_egress_octets(q, 1));
	if (!was_paced || q->slot_ns || sooner.ns < q->departure.ns)
		q->departure = sooner;
}

void drb_egress_free(struct drb_egress *q)
{
	free(q->packet);
	free(q->end);
	q->packet = NULL;
	q->end = NULL;
}

struct drb_instant drb_egress_departure(const struct drb_egress *q, uint32_t n)
{
	struct drb_instant t = q->departure;
	uint32_t octets = q->end[drb_egress_ring_index(q, n)] - q->end[drb_egress_ring_index(q, 0)];

	drb_egress_serialise(q, &t, n, octets);
	return t;
}

// Counts the lateness of packets that came since credit was last lost, up to index `end`: each is
// late by behind_ns. Without the loss the queue would be shorter by that time, and sometimes empty.
// The queue is therefore never further behind than the time of the packets in it.
static void lag(struct drb_egress *q, uint64_t end)
{
	uint64_t left_ns = drb_egress_departure(q, drb_egress_length(q) - 1).ns - q->departure.ns;
	uint64_t since = q->head > q->behind_from ? q->head : q->behind_from;

	q->behind_ns = q->behind_ns < left_ns ? q->behind_ns : left_ns;
	if (end > since)
		q->late.ns += (end - since) * q->behind_ns;
}

void drb_egress_lose_credit(struct drb_egress *q, uint64_t now_ns)
{
	uint64_t earliest;

	if (drb_egress_length(q) == 0 || now_ns <= q->departure.ns ||
	    now_ns - q->departure.ns <= q->catchup_ns)
		return;
	earliest = drb_egress_slot(q, now_ns - q->catchup_ns);
	if (earliest == q->departure.ns)
		return; // within the slot that may be recovered
	uint64_t lost_ns = earliest - q->departure.ns;
	q->lost_credit_ns += lost_ns;
	q->lost_credit_events++;
	lag(q, q->tail);
	q->late.ns += drb_egress_length(q) * lost_ns;
	q->behind_ns += lost_ns;
	q->behind_from = q->tail;
	q->departure.ns = earliest;
}

// Returns how many packets depart by now_ns, at most max. At least max packets are queued.
static uint32_t count_departed(const struct drb_egress *q, uint64_t now_ns, uint32_t max)
{
	uint32_t gone = 0, stays = max - 1; // positions behind the head

	if (max == 0 || q->departure.ns > now_ns)
		return 0;
	if (drb_egress_departure(q, stays).ns <= now_ns)
		return max;
	while (stays - gone > 1) {
		uint32_t middle = (gone + stays) / 2;
		if (drb_egress_departure(q, middle).ns <= now_ns)
			gone = middle;
		else
			stays = middle;
	}
	return stays;
}

// Returns how late the first n packets are if they leave at now_ns: n times the head's lateness,
// less the time by which the others depart after the head.
static struct drb_lateness lateness(const struct drb_egress *q, uint64_t now_ns, uint32_t n)
{
	uint64_t behind = now_ns - q->departure.ns, later = (uint64_t)n * (n - 1) / 2;
	struct drb_lateness late = {0};

	if (!q->per_packet) {
		const uint32_t *end = &q->end[drb_egress_ring_index(q, 0)];
		uint32_t octets = end[0] - n * end[0]; // exact modulo 2^32: a burst has fewer bytes
		for (uint32_t i = 1; i < n; i++)
			octets += end[i];
		later = later * q->overhead + octets;
	}
	unsigned __int128 time =
		(unsigned __int128)later * q->time_per_unit + (uint64_t)n * q->departure.fraction;
	// The sum of their fractions of a ns may exceed their lateness.
	if (n * behind > (uint64_t)(time >> 32))
		late.ns = n * behind - (uint64_t)(time >> 32);
	if (q->slot_ns && behind >= q->slot_ns) {
		// The head is late once it is a slot behind. For each further packet time, one more
		// packet is late.
		uint64_t slots = 1 + (behind - q->slot_ns) / (q->time_per_unit >> 32);
		late.slots = slots < n ? slots : n;
	}
	return late;
}

uint32_t drb_egress_departed(struct drb_egress *q, uint64_t now_ns, uint32_t max)
{
	drb_egress_lose_credit(q, now_ns);
	return count_departed(q, now_ns, max);
}

void drb_egress_depart(struct drb_egress *q, uint32_t count, uint64_t now_ns)
{
	if (count == 0)
		return;
	struct drb_lateness late = lateness(q, now_ns, count);
	q->late.ns += late.ns;
	q->late.slots += late.slots;
	if (__builtin_expect(q->behind_ns > 0, 0))
		lag(q, q->head + count);
	// Packets that come later find the link free.
	if (count == drb_egress_length(q))
		q->behind_ns = 0;
	// Departure of the next packet or, if the queue becomes empty, of the last one sent.
	q->departure = drb_egress_departure(q, count < drb_egress_length(q) ? count : count - 1);
}

void drb_egress_clear(struct drb_egress *q, uint64_t now_ns)
{
	uint32_t count = drb_egress_length(q);

	if (q->paced)
		q->queue_ns += count * now_ns;
	if (q->departure.ns > now_ns)
		q->departure = (struct drb_instant){0}; // the link is free
	q->head = q->base = q->tail;
	q->octets = 0;
	q->behind_ns = 0;
}
