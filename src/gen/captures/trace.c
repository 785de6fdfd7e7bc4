// SPDX-License-Identifier: BSD-3-Clause
#include "gen/captures/trace.h"

#include <stdlib.h>
#include <string.h>

#include "core/fabric/addresses.h"
#include "core/math/random.h"

// Frames are adjacent in large blocks, because a replay reads them in almost this order.
#define BLOCK_SIZE ((size_t)1 << 20)

struct trace_block {
	struct trace_block *next;
	size_t used, size;
	uint8_t bytes[];
};

static uint8_t *take_bytes(struct trace *t, size_t size)
{
	struct trace_block *b = t->blocks;

	if (!b || b->size - b->used < size) {
		size_t room = size > BLOCK_SIZE ? size : BLOCK_SIZE;
		b = malloc(sizeof(*b) + room);
		if (!b)
			return NULL;
		*b = (struct trace_block){.next = t->blocks, .size = room};
		t->blocks = b;
	}
	uint8_t *bytes = b->bytes + b->used;
	b->used += size;
	return bytes;
}

struct trace_packet *trace_add(struct trace *t, int64_t time_ns, const uint8_t *data,
			       uint32_t captured, uint32_t size)
{
	if (t->count == t->room) {
		size_t room = t->room ? 2 * t->room : 1024;
		struct trace_packet *p = realloc(t->packet, room * sizeof(*p));
		if (!p)
			return NULL;
		t->packet = p;
		t->room = room;
	}
	uint8_t *frame = NULL;
	if (size <= TRACE_FRAME_MAX) {
		frame = take_bytes(t, size);
		if (!frame)
			return NULL;
		memcpy(frame, data, captured);
		memset(frame + captured, 0, size - captured);
	}
	struct trace_packet *p = &t->packet[t->count];
	*p = (struct trace_packet){.time_ns = time_ns,
				   .order = t->count++,
				   .frame = frame,
				   .size = size,
				   .captured = captured,
				   .host = DRB_NO_LABEL};
	return p;
}

void trace_free(struct trace *t)
{
	while (t->blocks) {
		struct trace_block *next = t->blocks->next;
		free(t->blocks);
		t->blocks = next;
	}
	free(t->packet);
	*t = (struct trace){0};
}

uint64_t trace_fingerprint(const uint8_t *frame, uint32_t captured, uint32_t size)
{
	uint32_t n = captured < TRACE_PRINT_BYTES ? captured : TRACE_PRINT_BYTES;
	uint64_t print = size;

	for (; n >= 8; n -= 8, frame += 8) {
		uint64_t word;
		memcpy(&word, frame, 8);
		print = drb_mix64(print ^ word);
	}
	uint64_t word = 0;
	memcpy(&word, frame, n);
	print = drb_mix64(print ^ word);
	return print ? print : 1;
}

static int compare(const void *a, const void *b)
{
	const struct trace_packet *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

void trace_merge(struct trace *t, int64_t origin)
{
	if (t->count == 0)
		return;
	qsort(t->packet, t->count, sizeof(*t->packet), compare);
	for (size_t i = 0; i < t->count; i++)
		t->packet[i].time_ns -= origin;
}
