// SPDX-License-Identifier: BSD-3-Clause
#include "egress.h"

#include <errno.h>
#include <stdlib.h>

static int make_ring(struct drb_egress_ring *ring, uint32_t limit, bool paced)
{
	uint32_t room = 1;

	while (room < limit)
		room *= 2;
	ring->mask = room - 1;
	ring->packet = calloc(room, sizeof(*ring->packet));
	ring->size = calloc(paced ? room : 1, sizeof(*ring->size));
	if (ring->packet && ring->size)
		return 0;
	drb_egress_ring_free(ring);
	return -ENOMEM;
}

int drb_egress_ring_for(const struct drb_egress *q, uint32_t limit, const struct drb_rate *rate,
			struct drb_egress_ring *ring)
{
	bool paced = rate->value > 0;

	*ring = (struct drb_egress_ring){0};
	if (limit <= q->mask + 1 && (!paced || q->paced))
		return 0;
	return make_ring(ring, limit > q->mask + 1 ? limit : q->mask + 1, paced);
}

void drb_egress_ring_free(struct drb_egress_ring *ring)
{
	free(ring->packet);
	free(ring->size);
	*ring = (struct drb_egress_ring){0};
}

static void set_link(struct drb_egress *q, const struct drb_rate *rate, bool slotted,
		     uint32_t overhead, uint64_t catchup_ns)
{
	q->slot_ns = 0;
	q->paced = rate->value > 0;
	q->per_packet = rate->per_packet;
	q->overhead = overhead;
	q->catchup_ns = catchup_ns;
	if (q->paced) {
		double seconds = rate->per_packet ? 1 / rate->value : 8 / rate->value;
		q->time_per_unit = (uint64_t)(seconds * 1e9 * 0x1p32 + 0.5);
		if (slotted) {
			q->slot_ns = (uint64_t)(seconds * 1e9 + 0.5);
			q->time_per_unit = q->slot_ns << 32;
		}
	}
}

int drb_egress_init(struct drb_egress *q, uint32_t limit, const struct drb_rate *rate, bool slotted,
		    uint32_t overhead, uint64_t catchup_ns)
{
	struct drb_egress_ring ring;

	*q = (struct drb_egress){0};
	if (make_ring(&ring, limit, rate->value > 0) < 0)
		return -ENOMEM;
	q->packet = ring.packet;
	q->size = ring.size;
	q->mask = ring.mask;
	q->limit = limit;
	set_link(q, rate, slotted, overhead, catchup_ns);
	return 0;
}

static void swap_ring(struct drb_egress *q, struct drb_egress_ring *ring,
		      uint32_t (*size_of)(const void *packet))
{
	struct drb_egress_ring old = {q->packet, q->size, q->mask};

	for (uint32_t i = 0; i < drb_egress_length(q); i++) {
		ring->packet[i] = q->packet[drb_egress_place(q, i)];
		if (q->paced)
			ring->size[i] = size_of(ring->packet[i]);
	}
	q->packet = ring->packet;
	q->size = ring->size;
	q->mask = ring->mask;
	q->base = q->head;
	*ring = old;
}

void drb_egress_change(struct drb_egress *q, uint32_t limit, const struct drb_rate *rate,
		       bool slotted, uint32_t overhead, uint64_t catchup_ns, uint64_t now_ns,
		       struct drb_egress_ring *ring, uint32_t (*size_of)(const void *packet))
{
	uint32_t length = drb_egress_length(q);
	bool was_paced = q->paced;

	q->limit = limit;
	q->departed = 0;
	set_link(q, rate, slotted, overhead, catchup_ns);
	if (ring->packet)
		swap_ring(q, ring, size_of);
	// What is queued counts from now on, or until now.
	if (q->paced && !was_paced)
		q->queue_ns -= length * now_ns;
	if (!q->paced && was_paced)
		q->queue_ns += length * now_ns;
	if (!q->paced || length == 0)
		return;
	struct drb_instant sooner = {.ns = drb_egress_slot(q, now_ns)};
	drb_egress_serialise(q, &sooner, q->size[drb_egress_place(q, 0)]);
	if (!was_paced || q->slot_ns || sooner.ns < q->departure.ns)
		q->departure = sooner;
}

void drb_egress_free(struct drb_egress *q)
{
	free(q->packet);
	free(q->size);
	q->packet = NULL;
	q->size = NULL;
}

void drb_egress_lose_credit(struct drb_egress *q, uint64_t now_ns)
{
	uint64_t earliest;

	if (drb_egress_length(q) == 0 || now_ns <= q->departure.ns ||
	    now_ns - q->departure.ns <= q->catchup_ns)
		return;
	earliest = drb_egress_slot(q, now_ns - q->catchup_ns);
	if (earliest == q->departure.ns)
		return; // within the slot that may be made up for
	q->lost_credit_ns += earliest - q->departure.ns;
	q->lost_credit_events++;
	q->departure.ns = earliest;
}

// Goes through the packets from the head on, at most max of them and while they depart by now_ns;
// t, the departure of the first, becomes that of the one behind them. How many.
static inline uint32_t pass(const struct drb_egress *q, uint64_t now_ns, uint32_t max,
			    struct drb_instant *t, struct drb_lateness *late)
{
	uint32_t length = drb_egress_length(q), at = drb_egress_place(q, 0), n = 0;

	while (n < max && t->ns <= now_ns) {
		late->ns += now_ns - t->ns;
		late->slots += q->slot_ns && now_ns - t->ns >= q->slot_ns;
		at = (at + 1) & q->mask;
		if (++n < length)
			drb_egress_serialise(q, t, q->size[at]);
	}
	return n;
}

uint32_t drb_egress_departed(struct drb_egress *q, uint64_t now_ns, uint32_t max)
{
	drb_egress_lose_credit(q, now_ns);
	q->behind = q->departure;
	q->departed_late = (struct drb_lateness){0};
	q->departed = pass(q, now_ns, max, &q->behind, &q->departed_late);
	return q->departed;
}

void drb_egress_depart(struct drb_egress *q, uint32_t count, uint64_t now_ns)
{
	if (count == q->departed) {
		q->departure = q->behind;
		q->late.ns += q->departed_late.ns;
		q->late.slots += q->departed_late.slots;
	} else {
		pass(q, now_ns, count, &q->departure, &q->late);
	}
	q->departed = 0;
}
