// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The packets that are under way, of all transfers: what one is, by the number that it carries. Numbers are given in
// turn, past those that are still used, so that what hosts send in a slot lies side by side.

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define DRB_FLYING_NONE UINT32_MAX

struct drb_flying {
	uint32_t transfer; // DRB_FLYING_NONE: the number is not used
	uint32_t sequence;
	uint32_t number; // of its transmission, among those of its transfer
	uint16_t entropy;
	bool marked;  // it met a long queue
	bool trimmed; // it met a full one: only its header arrives
};

struct drb_flyings {
	struct drb_flying *packet;
	uint32_t room, most; // powers of two; most: that a word has numbers for
	uint32_t count, turn;
};

static inline int drb_flyings_grow(struct drb_flyings *f)
{
	uint32_t room = f->room ? 2 * f->room : 1024;
	struct drb_flying *more = room > f->most ? NULL : realloc(f->packet, room * sizeof(*more));

	if (!more)
		return -ENOMEM;
	for (uint32_t i = f->room; i < room; i++)
		more[i].transfer = DRB_FLYING_NONE;
	f->packet = more;
	f->turn = f->room;
	f->room = room;
	return 0;
}

// Its number; -ENOMEM.
static inline int64_t drb_flyings_add(struct drb_flyings *f, const struct drb_flying *packet)
{
	// While half are free, hardly any is passed by.
	if (f->count >= f->room / 2 && drb_flyings_grow(f) < 0 && f->count == f->room)
		return -ENOMEM;
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
