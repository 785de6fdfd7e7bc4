// SPDX-License-Identifier: BSD-3-Clause
#include "sim/flows/ethereal.h"

#include <errno.h>
#include <stdlib.h>

#include "sim/flows/list_formats.h"

struct part {
	uint32_t place; // of the transfer
	uint32_t source, dest, size;
	uint32_t step;
	uint32_t region;     // that it goes to: hosts of one switch of this layer, counted
	uint32_t way, order; // order: among those of its transfer
};

struct split {
	struct part *part; // owned
	uint32_t count, room;
};

static int add(struct split *s, struct part part)
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

// Those that are dealt out together are neighbours.
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

// The uplinks of a layer, and what one more of them adds to a way.
struct uplinks {
	uint32_t count, each;
};

// Parts of one group. Hosts of a rack begin at different uplinks.
static int deal(struct split *to, const struct part *part, uint32_t count, struct uplinks up)
{
	const uint32_t left = count % up.count;
	const uint32_t pieces = up.count / gcd(left, up.count);
	uint32_t next = part->source;
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < count; i++) {
		struct part p = part[i];
		p.way += i % up.count * up.each;
		if (i < count - left) {
			rc = add(to, p);
			continue;
		}
		for (uint32_t n = 0; rc == 0 && n < pieces; n++, next++) {
			uint64_t begin = (uint64_t)part[i].size * n / pieces;
			p.size = (uint32_t)((uint64_t)part[i].size * (n + 1) / pieces - begin);
			p.way = part[i].way + next % up.count * up.each;
			p.order =
				part[i].order + n * up.each; // its neighbours take other ways first
			if (p.size)
				rc = add(to, p);
		}
	}
	return rc;
}

// All parts at the switches of a layer, below which so many hosts are.
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
			rc = add(&to, p[n]);
	}
	free(s->part);
	*s = to;
	return rc;
}

static int split(struct split *s, const struct drb_tree *tree, const struct drb_list *from,
		 bool together)
{
	struct uplinks up = {.each = 1};
	uint32_t below = tree->arity;
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < from->count; i++) {
		const struct drb_listed *t = &from->transfer[i];
		rc = add(s, (struct part){.place = i,
					  .source = t->source,
					  .dest = t->dest,
					  .size = t->size,
					  .step = together ? 0 : i});
	}
	for (uint32_t m = 1; rc == 0 && m < tree->layers; m++, below *= tree->arity) {
		up.count = drb_tree_up_ports(tree, m);
		rc = deal_layer(s, below, up);
		up.each *= up.count;
	}
	if (s->count)
		qsort(s->part, s->count, sizeof(*s->part), by_place);
	return rc;
}

// Where the parts of a transfer are in the new list; [count] of them.
struct parts {
	uint32_t first, count;
};

static int wait_for(struct drb_list *to, const struct parts parts[], uint32_t of,
		    enum drb_list_event event)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && of != DRB_LIST_NONE && i < parts[of].count; i++)
		rc = drb_list_add_wait(
			to, (struct drb_list_wait){to->count, parts[of].first + i, event});
	return rc;
}

// A transfer of so many parts, which all wait for all parts of what it waits for.
static int add_parts(struct drb_list *to, const struct drb_listed *t, const struct part *part,
		     struct parts parts[])
{
	const uint32_t join = to->count;
	struct drb_listed l = {.source = t->source,
			       .dest = t->source,
			       .after_sent = DRB_LIST_NONE,
			       .after_arrived = DRB_LIST_NONE};
	int rc = 0;

	if (wait_for(to, parts, t->after_sent, DRB_LIST_SENT) < 0 ||
	    wait_for(to, parts, t->after_arrived, DRB_LIST_ARRIVED) < 0)
		return -ENOMEM;
	const bool waits = to->waits && to->wait[to->waits - 1].place == join;
	if (waits)
		rc = drb_list_add(to, &l);
	parts[part->place].first = to->count;
	l.dest = t->dest;
	l.after_sent = waits ? join : DRB_LIST_NONE;
	for (uint32_t i = 0; rc == 0 && i < parts[part->place].count; i++) {
		l.size = part[i].size;
		l.way = part[i].way;
		rc = drb_list_add(to, &l);
	}
	return rc;
}

int drb_ethereal_split(const struct drb_tree *tree, const struct drb_list *from, bool together,
		       struct drb_list *to)
{
	struct split s = {0};
	struct parts *parts = calloc(from->count, sizeof(*parts));
	int rc = parts ? split(&s, tree, from, together) : -ENOMEM;

	*to = (struct drb_list){0};
	for (uint32_t i = 0; rc == 0 && i < s.count; i++)
		parts[s.part[i].place].count++;
	for (uint32_t i = 0, at = 0; rc == 0 && i < from->count; at += parts[i++].count)
		rc = add_parts(to, &from->transfer[i], s.part + at, parts);
	free(s.part);
	free(parts);
	return rc;
}
