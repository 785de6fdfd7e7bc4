// SPDX-License-Identifier: BSD-3-Clause
#include "sim/flows/ethereal.h"

#include <errno.h>
#include <stdlib.h>

#include "sim/flows/list_formats.h"

struct part {
	uint32_t place; // index of the transfer in the list
	uint32_t source, dest, size;
	uint64_t step;
	uint32_t region;     // switch of this layer above `dest`
	uint32_t way, order; // path; order among the parts of its transfer
};

struct split {
	struct part *part; // owned
	uint32_t count, room;
};

static int part_add(struct split *s, struct part part)
{
	struct part *more = drb_list_room(s->part, s->count, &s->room, sizeof(part));

	if (!more)
		return -ENOMEM;
	s->part = more;
	s->part[s->count++] = part;
	return 0;
}

#define COMPARE(field)                                                                             \
	if (x->field != y->field)                                                                  \
	return x->field < y->field ? -1 : 1

// Sorts parts so that those of one group, which are dealt together, are adjacent.
static int by_group(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	COMPARE(step);
	COMPARE(source);
	COMPARE(region);
	COMPARE(way);
	COMPARE(size);
	COMPARE(dest);
	COMPARE(place);
	return (x->order > y->order) - (x->order < y->order);
}

static int by_place(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	COMPARE(place);
	return (x->order > y->order) - (x->order < y->order);
}

static bool same_group(const struct part *x, const struct part *y)
{
	return x->step == y->step && x->source == y->source && x->region == y->region &&
	       x->way == y->way && x->size == y->size;
}

static uint32_t gcd(uint32_t a, uint32_t b)
{
	return b == 0 ? a : gcd(b, a % b);
}

// The uplinks of a layer: their number, the difference between the path numbers of adjacent
// uplinks, and the hosts below each child of a switch.
struct uplinks {
	uint32_t count, each, child;
};

// Deals the parts of one group to uplinks. Children of a switch begin at different uplinks, since
// parts that are smaller than a packet are left out at the same places.
static int deal(struct split *to, const struct part *part, uint32_t count, struct uplinks up)
{
	const uint32_t left = count % up.count;
	const uint32_t pieces = up.count / gcd(left, up.count);
	uint32_t next = part->source / up.child;
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < count; i++) {
		struct part p = part[i];
		p.way += i % up.count * up.each;
		if (i < count - left) {
			rc = part_add(to, p);
			continue;
		}
		for (uint32_t n = 0; rc == 0 && n < pieces; n++, next++) {
			uint64_t begin = (uint64_t)part[i].size * n / pieces;
			p.size = (uint32_t)((uint64_t)part[i].size * (n + 1) / pieces - begin);
			p.way = part[i].way + next % up.count * up.each;
			p.order =
				// Parts with adjacent numbers differ in their lower uplinks first.
				part[i].order + n * up.each;
			if (p.size)
				rc = part_add(to, p);
		}
	}
	return rc;
}

// Deals all parts at the switches of a layer with `below` hosts below each.
static int deal_layer(struct split *s, uint32_t below, struct uplinks up)
{
	struct split to = {0};
	uint32_t count;
	int rc = 0;

	for (uint32_t i = 0; i < s->count; i++)
		s->part[i].region = s->part[i].dest / below;
	qsort(s->part, s->count, sizeof(*s->part), by_group);
	for (uint32_t i = 0; rc == 0 && i < s->count; i += count) {
		const struct part *p = s->part + i;
		for (count = 1; i + count < s->count && same_group(p, p + count); count++)
			;
		if (p->region != p->source / below)
			rc = deal(&to, p, count, up);
		for (uint32_t n = 0; rc == 0 && p->region == p->source / below && n < count; n++)
			rc = part_add(&to, p[n]);
	}
	free(s->part);
	*s = to;
	return rc;
}

// The steps of all transfers; owned by the caller. NULL: not enough memory.
static uint64_t *steps_of(const struct drb_list *list)
{
	uint64_t *step = malloc(((size_t)list->count + 1) * sizeof(*step));

	for (uint32_t i = 0; step && i < list->count; i++) {
		const struct drb_listed *t = &list->transfer[i];
		const uint64_t alone = UINT64_C(1) << 32 | i;
		if (t->after_arrived != DRB_LIST_NONE)
			step[i] = alone;
		else if (t->after_sent == DRB_LIST_NONE)
			step[i] = t->slot;
		else
			step[i] = t->after_sent < i &&
						  list->transfer[t->after_sent].source == t->source
					  ? step[t->after_sent]
					  : alone;
	}
	for (uint32_t i = 0; step && i < list->waits; i++)
		step[list->wait[i].place] = UINT64_C(1) << 32 | list->wait[i].place;
	return step;
}

static int transfers_split(struct split *s, const struct drb_tree *tree,
			   const struct drb_list *from)
{
	uint64_t *step = steps_of(from);
	struct uplinks up = {.each = 1};
	uint32_t below = tree->arity;
	int rc = step ? 0 : -ENOMEM;

	for (uint32_t i = 0; rc == 0 && i < from->count; i++) {
		const struct drb_listed *t = &from->transfer[i];
		rc = part_add(s, (struct part){.place = i,
					       .source = t->source,
					       .dest = t->dest,
					       .size = t->size,
					       .step = step[i]});
	}
	free(step);
	for (uint32_t m = 1; rc == 0 && m < tree->layers; m++, below *= tree->arity) {
		up.count = drb_tree_up_ports(tree, m);
		up.child = below / tree->arity;
		rc = deal_layer(s, below, up);
		up.each *= up.count;
	}
	if (s->count)
		qsort(s->part, s->count, sizeof(*s->part), by_place);
	return rc;
}

// A stride through the packets of a transfer that visits each once, and spreads consecutive packets
// over the whole transfer.
static uint32_t stride_of(uint32_t size)
{
	uint32_t stride = (uint32_t)(size * 0.6180339887) + 1;

	while (gcd(stride, size) != 1)
		stride++;
	return stride;
}

int drb_ethereal_split(const struct drb_tree *tree, const struct drb_list *from,
		       struct drb_ways *to)
{
	struct split s = {0};
	int rc = transfers_split(&s, tree, from);

	*to = (struct drb_ways){.of = calloc((size_t)from->count + 1, sizeof(*to->of)),
				.part = calloc((size_t)s.count + 1, sizeof(*to->part))};
	if (!to->of || !to->part)
		rc = -ENOMEM;
	for (uint32_t i = 0, place = 0; rc == 0 && place < from->count; place++) {
		uint32_t end = 0;
		to->of[place] = (struct drb_split){i, stride_of(from->transfer[place].size)};
		for (; i < s.count && s.part[i].place == place; i++) {
			end += s.part[i].size;
			to->part[i] = (struct drb_split_part){end, s.part[i].way};
		}
	}
	if (rc == 0)
		to->of[from->count].first = s.count;
	else
		drb_ways_free(to);
	free(s.part);
	return rc;
}

void drb_ways_free(struct drb_ways *ways)
{
	free(ways->of);
	free(ways->part);
	*ways = (struct drb_ways){0};
}

uint32_t drb_way_of(const struct drb_ways *ways, uint32_t place, uint32_t sequence)
{
	uint32_t low = ways->of[place].first, high = ways->of[place + 1].first - 1;
	const uint64_t size = ways->part[high].end;
	const uint32_t at = (uint32_t)((uint64_t)sequence * ways->of[place].stride % size);

	while (low < high) {
		const uint32_t middle = (low + high) / 2;
		if (at < ways->part[middle].end)
			high = middle;
		else
			low = middle + 1;
	}
	return ways->part[low].way;
}
