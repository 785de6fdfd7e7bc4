// SPDX-License-Identifier: BSD-3-Clause
#include "core/links/outages.h"

#include <string.h>

#include "core/links/port_sets.h"

struct drb_end drb_outage_end(const struct drb_tree *t, uint32_t link)
{
	const uint32_t each = drb_tree_links(t);
	link -= drb_tree_switches_total(t);
	const uint32_t layer = link / each + 1;
	const uint32_t rest = link % each, ups = drb_tree_up_ports(t, layer);

	return (struct drb_end){
		.layer = layer, .label = rest / ups, .port = rest % ups, .up = true};
}

uint32_t drb_outage_switch(const struct drb_tree *t, uint32_t layer, uint32_t label)
{
	uint32_t item = label;

	for (uint32_t m = 1; m < layer; m++)
		item += drb_tree_switches(t, m);
	return item;
}

uint32_t drb_outage_of_port(const struct drb_tree *t, uint32_t layer, uint32_t label, uint32_t port)
{
	const uint32_t downs = drb_tree_down_ports(t, layer);

	if (port >= downs)
		return drb_outage_link(t, layer, label, port - downs);
	const struct drb_end child = drb_tree_down_peer(t, layer, label, port);
	return drb_outage_link(t, child.layer, child.label, child.port);
}

static bool is_link(const struct drb_tree *t, uint32_t item)
{
	return item >= drb_tree_switches_total(t);
}

// The switches at the two ends of a link; for a switch, both are that switch.
struct ends {
	uint32_t low, high;
};

static struct ends ends_of(const struct drb_tree *t, uint32_t item)
{
	if (!is_link(t, item))
		return (struct ends){item, item};
	const struct drb_end low = drb_outage_end(t, item);
	const struct drb_end high = drb_tree_up_peer(t, low.layer, low.label, low.port);
	return (struct ends){drb_outage_switch(t, low.layer, low.label),
			     drb_outage_switch(t, high.layer, high.label)};
}

static uint32_t sayer_of(uint32_t key, struct ends ends)
{
	switch (drb_outage_kind(key)) {
	case DRB_OUTAGE_DEAD:
		return ends.low == ends.high ? DRB_OUTAGE_NOBODY : ends.low;
	case DRB_OUTAGE_ALIVE:
	case DRB_OUTAGE_DEAD_ABOVE:
		return ends.high;
	case DRB_OUTAGE_SPARE:
		break;
	}
	return DRB_OUTAGE_NOBODY;
}

uint32_t drb_outage_sayer(const struct drb_tree *t, uint32_t key)
{
	return sayer_of(key, ends_of(t, drb_outage_item(key)));
}

bool drb_outages_has(const struct drb_outages *o, uint32_t key)
{
	uint32_t low = 0, high = o->count;

	while (low < high) {
		const uint32_t middle = (low + high) / 2;
		if (o->key[middle] < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low < o->count && o->key[low] == key;
}

static bool is_there(const struct drb_tree *t, uint32_t key)
{
	const uint32_t item = drb_outage_item(key);

	if (item >= drb_outage_items(t))
		return false;
	return drb_outage_kind(key) !=
	       (is_link(t, item) ? DRB_OUTAGE_ALIVE : DRB_OUTAGE_DEAD_ABOVE);
}

// A switch that gathers outages: its own number, its neighbours', and what it hears of itself and
// them.
struct self {
	const struct drb_outage_sources *from;
	uint32_t item, ports;
	uint32_t peer[64]; // switch numbers behind the ports to switches
	uint64_t there;    // the ports to switches
	bool accused;      // a report says that this switch, or its end of a link, is dead
	uint64_t alive;    // dead ports whose neighbour is alive
};

static void note_sayer(struct self *s, uint32_t sayer)
{
	if (sayer == DRB_OUTAGE_NOBODY)
		return;
	for (uint64_t dead = s->from->dead & s->there; dead; dead &= dead - 1) {
		const uint32_t i = (uint32_t)__builtin_ctzll(dead);
		s->alive |= s->peer[i] == sayer ? UINT64_C(1) << i : 0;
	}
}

// True if the outage is of this switch or of one of its links, so that this switch knows better
// itself. False for a dead link that the switch at its other end reports.
static bool is_own(struct self *s, uint32_t key, struct ends ends, uint32_t sayer)
{
	if (ends.low != s->item && ends.high != s->item)
		return false;
	if (drb_outage_kind(key) == DRB_OUTAGE_SPARE || sayer == s->item)
		return true;
	s->accused = true;
	return ends.low == ends.high;
}

// The result of merging two lists: rising keys, with space for all of both.
struct merged {
	uint32_t count;
	uint32_t key[2 * DRB_OUTAGES_MAX];
	uint8_t distance[2 * DRB_OUTAGES_MAX];
};

static void append(struct merged *m, uint32_t key, uint32_t distance)
{
	m->key[m->count] = key;
	m->distance[m->count++] = (uint8_t)distance;
}

// If there are too many, keeps the nearest, and the first of those at the same distance.
static void keep_nearest(struct drb_outages *o, const struct merged *m)
{
	uint32_t at[DRB_OUTAGE_DISTANCE_MAX + 1] = {0}, room = DRB_OUTAGES_MAX, last = 0;

	for (uint32_t i = 0; i < m->count; i++)
		at[m->distance[i]]++;
	while (last < DRB_OUTAGE_DISTANCE_MAX && at[last] <= room)
		room -= at[last++];
	if (m->count > DRB_OUTAGES_MAX)
		o->more = 1;
	o->count = 0;
	for (uint32_t i = 0; i < m->count; i++) {
		if (m->distance[i] > last || (m->distance[i] == last && room == 0))
			continue;
		room -= m->distance[i] == last;
		o->key[o->count] = m->key[i];
		o->distance[o->count++] = m->distance[i];
	}
}

// True if an outage that is not known yet must be added. self: the switch that hears of it from a
// neighbour, or NULL.
static bool is_taken(const struct drb_tree *t, struct self *self, uint32_t key, uint32_t distance)
{
	if (!is_there(t, key))
		return false;
	if (self) {
		const struct ends ends = ends_of(t, drb_outage_item(key));
		const uint32_t sayer = sayer_of(key, ends);
		if (is_own(self, key, ends, sayer))
			return false;
		note_sayer(self, sayer);
	}
	return distance <= drb_outage_distance_max(t);
}

// Merges the reported outages into o, one step farther if they were heard. Neighbours report nearly
// the same outages, so a known one costs only a comparison.
static void merge(struct drb_outages *o, const struct drb_tree *t, struct self *self,
		  const struct drb_outages *said)
{
	const uint32_t farther = self ? 1 : 0;
	struct merged m;
	uint32_t known = 0;

	m.count = 0;
	for (uint32_t i = 0; i < said->count; i++) {
		const uint32_t key = said->key[i], distance = said->distance[i] + farther;
		for (; known < o->count && o->key[known] < key; known++)
			append(&m, o->key[known], o->distance[known]);
		if (known < o->count && o->key[known] == key)
			o->distance[known] =
				(uint8_t)(distance < o->distance[known] ? distance
									: o->distance[known]);
		else if (is_taken(t, self, key, distance))
			append(&m, key, distance);
	}
	for (; known < o->count; known++)
		append(&m, o->key[known], o->distance[known]);
	keep_nearest(o, &m);
}

void drb_outages_add(struct drb_outages *o, const struct drb_tree *t, uint32_t key,
		     uint32_t distance)
{
	const struct drb_outages one = {.count = 1, .key = {key}, .distance = {(uint8_t)distance}};

	if (distance <= drb_outage_distance_max(t))
		merge(o, t, NULL, &one);
}

// Merges all outages that a neighbour knows.
static void outages_merge(struct drb_outages *o, struct self *s, const struct drb_outages *said)
{
	const struct drb_tree *t = s->from->tree;
	const uint32_t more = said->more + 1u;

	merge(o, t, s, said);
	if (said->more > 0 && more <= drb_outage_distance_max(t) &&
	    (o->more == 0 || more < o->more))
		o->more = (uint8_t)more;
}

static struct self self_of(const struct drb_outage_sources *from)
{
	const struct drb_tree *t = from->tree;
	const uint32_t downs = drb_tree_down_ports(t, from->layer);
	struct self s = {.from = from,
			 .item = drb_outage_switch(t, from->layer, from->label),
			 .ports = downs + drb_tree_up_ports(t, from->layer)};

	for (uint32_t i = 0; i < s.ports; i++) {
		const struct drb_end end =
			i < downs ? drb_tree_down_peer(t, from->layer, from->label, i)
				  : drb_tree_up_peer(t, from->layer, from->label, i - downs);
		s.peer[i] = DRB_OUTAGE_NOBODY;
		if (end.layer == 0)
			continue;
		s.peer[i] = drb_outage_switch(t, end.layer, end.label);
		s.there |= UINT64_C(1) << i;
	}
	return s;
}

// Reports an own port that is dead or spare. True if the report proves that this switch is alive.
static bool say_port(struct drb_outages *o, const struct self *s, uint32_t port)
{
	const struct drb_outage_sources *from = s->from;
	const bool dead = from->dead >> port & 1, alive = s->alive >> port & 1;
	const bool up = port >= drb_tree_down_ports(from->tree, from->layer);
	const uint32_t link = drb_outage_of_port(from->tree, from->layer, from->label, port);
	enum drb_outage_kind kind = up ? DRB_OUTAGE_DEAD : DRB_OUTAGE_DEAD_ABOVE;

	if (!dead)
		kind = DRB_OUTAGE_SPARE;
	if (!dead && drb_outages_has(o, drb_outage_key(s->peer[port], DRB_OUTAGE_SPARE)))
		return false; // the neighbour reports that itself
	if (dead && !alive)
		drb_outages_add(o, from->tree, drb_outage_key(s->peer[port], DRB_OUTAGE_DEAD), 0);
	else
		drb_outages_add(o, from->tree, drb_outage_key(link, kind), 0);
	return dead && alive;
}

void drb_outages_gather(struct drb_outages *o, const struct drb_outage_sources *from)
{
	struct self s = self_of(from);
	const uint64_t works = s.there & ~from->dead;
	const bool is_spare = works && !(works & ~from->spare);
	const uint64_t out = s.there & (from->dead | (is_spare ? 0 : from->spare));
	bool proven = false;

	*o = (struct drb_outages){0};
	for (uint32_t i = 0; i < s.ports; i++) {
		if ((works >> i & 1) && from->heard[i])
			outages_merge(o, &s, from->heard[i]);
	}
	for (uint32_t i = 0; i < s.ports; i++) {
		if (out >> i & 1)
			proven |= say_port(o, &s, i);
	}
	if (is_spare)
		drb_outages_add(o, from->tree, drb_outage_key(s.item, DRB_OUTAGE_SPARE), 0);
	if (s.accused && !proven)
		drb_outages_add(o, from->tree, drb_outage_key(s.item, DRB_OUTAGE_ALIVE), 0);
}

bool drb_outages_same(const struct drb_outages *a, const struct drb_outages *b)
{
	return a->count == b->count && !a->more == !b->more &&
	       memcmp(a->key, b->key, a->count * sizeof(*a->key)) == 0;
}

bool drb_outages_equal(const struct drb_outages *a, const struct drb_outages *b)
{
	return drb_outages_same(a, b) && a->more == b->more &&
	       memcmp(a->distance, b->distance, a->count) == 0;
}
