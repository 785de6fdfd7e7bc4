// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The packets that are under way, of all transfers: what one is, by the number that it carries.

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct drb_flying {
	uint32_t transfer, sequence;
	uint32_t number; // of its transmission, among those of its transfer
	uint32_t next;   // of those that are not used
	uint16_t entropy;
	bool marked;  // it met a long queue
	bool trimmed; // it met a full one: only its header arrives
};

struct drb_flyings {
	struct drb_flying *packet;
	uint32_t room, free; // free: the first one that is not used, UINT32_MAX without any
};

static inline int drb_flyings_grow(struct drb_flyings *f)
{
	uint32_t room = f->room ? 2 * f->room : 1024;
	struct drb_flying *more = realloc(f->packet, room * sizeof(*more));

	if (!more)
		return -ENOMEM;
	for (uint32_t i = f->room; i < room; i++)
		more[i] = (struct drb_flying){.next = i + 1 < room ? i + 1 : UINT32_MAX};
	*f = (struct drb_flyings){more, room, f->room};
	return 0;
}

// Its number; -ENOMEM.
static inline int64_t drb_flyings_add(struct drb_flyings *f, const struct drb_flying *packet)
{
	if ((f->room == 0 || f->free == UINT32_MAX) && drb_flyings_grow(f) < 0)
		return -ENOMEM;
	uint32_t i = f->free;
	f->free = f->packet[i].next;
	f->packet[i] = *packet;
	return i;
}

static inline void drb_flyings_remove(struct drb_flyings *f, uint32_t i)
{
	f->packet[i].next = f->free;
	f->free = i;
}
