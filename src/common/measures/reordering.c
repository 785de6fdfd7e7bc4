// SPDX-License-Identifier: BSD-3-Clause
#include "common/measures/reordering.h"

#include <math.h>
#include <stdlib.h>

// Sorts by arrival. Packets that arrived at the same time count as in order.
static int by_time(const void *a, const void *b)
{
	const struct drb_arrival *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->sent < y->sent ? -1 : x->sent > y->sent;
}

// Sets arrival[i].sent to the number of the packet that arrived as the i-th, and arrival[i].arrived
// to the rank in which packet i arrived.
static void rank(struct drb_arrival arrival[], uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		arrival[i].sent = i;
	qsort(arrival, count, sizeof(*arrival), by_time);
	for (uint32_t i = 0; i < count; i++)
		arrival[arrival[i].sent].arrived = i;
}

// Goes from the last packet sent to the first, and keeps the earliest arrival of later packets.
static void add_extents(struct drb_reordering *r, const struct drb_arrival arrival[],
			uint32_t count)
{
	uint32_t earliest = UINT32_MAX;

	while (count-- > 0) {
		uint32_t at = arrival[count].arrived;
		if (at < earliest) {
			earliest = at;
			continue;
		}
		r->reordered++;
		r->extent = at - earliest > r->extent ? at - earliest : r->extent;
	}
}

// Counts the packets that a receiver holds after each arrival: packets that have arrived, minus
// packets that it has passed on.
static void add_buffer(struct drb_reordering *r, const struct drb_arrival arrival[], uint32_t count)
{
	uint32_t passed = 0;

	for (uint32_t i = 0; i < count; i++) {
		while (passed < count && arrival[passed].arrived <= i)
			passed++;
		uint64_t held = i + 1 - passed;
		r->buffer = held > r->buffer ? held : r->buffer;
	}
}

void drb_reordering_add(struct drb_reordering *r, struct drb_arrival arrival[], uint32_t count)
{
	rank(arrival, count);
	r->packets += count;
	add_extents(r, arrival, count);
	add_buffer(r, arrival, count);
}

double drb_reordering_share(const struct drb_reordering *r)
{
	return r->packets ? (double)r->reordered / (double)r->packets : NAN;
}
