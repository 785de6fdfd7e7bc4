// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The packets in flight of all transfers. Each packet carries its number in its word. Numbers are
// assigned in turn, and those still in use are skipped. Packets that hosts send in one slot are
// therefore adjacent in memory.

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define DRB_FLYING_NONE UINT32_MAX

struct drb_flying {
	uint32_t transfer; // DRB_FLYING_NONE: the number is free
	uint32_t sequence;
	// Number of the transmission in its transfer; for acknowledgements of uec see uec_window.h.
	uint32_t number;
	uint16_t entropy;
	bool marked : 1;   // it met a long queue
	bool trimmed : 1;  // it met a full queue: only its header arrives
	bool last_hop : 1; // it was trimmed at the queue of the last link
	bool again : 1;    // it was sent before
	bool early : 1;    // its source had not received anything yet
	bool ask : 1;      // the receiver has to answer at once
};

struct drb_flyings {
	struct drb_flying *packet;
	uint32_t room, most; // powers of two; most: numbers that fit into a word
	uint32_t count, turn;
};

static inline int drb_flyings_grow(struct drb_flyings *f)
{
	uint32_t room = f->room ? 2 * f->room : 1024;
	if (room > f->most)
		return -EOVERFLOW;
	struct drb_flying *more = realloc(f->packet, room * sizeof(*more));
	if (!more)
		return -ENOMEM;
	for (uint32_t i = f->room; i < room; i++)
		more[i].transfer = DRB_FLYING_NONE;
	f->packet = more;
	f->turn = f->room;
	f->room = room;
	return 0;
}

// Returns the packet's number, -ENOMEM, or -EOVERFLOW: there are `most` packets.
static inline int64_t drb_flyings_add(struct drb_flyings *f, const struct drb_flying *packet)
{
	// While half of the numbers are free, few have to be skipped.
	int rc = f->count >= f->room / 2 ? drb_flyings_grow(f) : 0;
	if (rc < 0 && f->count == f->room)
		return rc;
	uint32_t i = f->turn;
	while (f->packet[i].transfer != DRB_FLYING_NONE)
		i = (i + 1) & (f->room - 1);
	f->packet[i] = *packet;
	f->turn = (i + 1) & (f->room - 1);
	f->count++;
	return i;
}

static inline struct drb_flying drb_flyings_remove(struct drb_flyings *f, uint32_t i)
{
	const struct drb_flying packet = f->packet[i];

	f->packet[i].transfer = DRB_FLYING_NONE;
	f->count--;
	return packet;
}
