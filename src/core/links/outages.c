// SPDX-License-Identifier: BSD-3-Clause
#include "core/links/outages.h"

#include <string.h>

struct drb_end drb_outage_end(const struct drb_tree *t, uint32_t link)
{
	const uint32_t each = drb_tree_links(t), layer = link / each + 1;
	const uint32_t rest = link % each, ups = drb_tree_up_ports(t, layer);

	return (struct drb_end){
		.layer = layer, .label = rest / ups, .port = rest % ups, .up = true};
}

uint32_t drb_outage_of_port(const struct drb_tree *t, uint32_t layer, uint32_t label, uint32_t port)
{
	const uint32_t downs = drb_tree_down_ports(t, layer);

	if (port >= downs)
		return drb_outage_link(t, layer, label, port - downs);
	const struct drb_end child = drb_tree_down_peer(t, layer, label, port);
	return drb_outage_link(t, child.layer, child.label, child.port);
}

static void remove_at(struct drb_outages *o, uint32_t at)
{
	o->count--;
	memmove(o->key + at, o->key + at + 1, (o->count - at) * sizeof(*o->key));
	memmove(o->distance + at, o->distance + at + 1, o->count - at);
}

static void insert_at(struct drb_outages *o, uint32_t at, uint32_t key, uint32_t distance)
{
	memmove(o->key + at + 1, o->key + at, (o->count - at) * sizeof(*o->key));
	memmove(o->distance + at + 1, o->distance + at, o->count - at);
	o->key[at] = key;
	o->distance[at] = (uint8_t)distance;
	o->count++;
}

static uint32_t find_place(const struct drb_outages *o, uint32_t key)
{
	uint32_t low = 0, high = o->count;

	while (low < high) {
		uint32_t middle = (low + high) / 2;
		if (o->key[middle] < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static uint32_t find_farthest(const struct drb_outages *o)
{
	uint32_t at = 0;

	for (uint32_t i = 1; i < o->count; i++)
		at = o->distance[i] > o->distance[at] ? i : at;
	return at;
}

static void come_nearer(struct drb_outages *o, uint32_t at, uint32_t distance)
{
	const uint32_t before = o->distance[at];

	o->distance[at] = (uint8_t)distance;
	if (o->count == DRB_OUTAGES_MAX && before == o->farthest)
		o->farthest = o->distance[find_farthest(o)];
}

void drb_outages_add(struct drb_outages *o, const struct drb_tree *t, uint32_t key,
		     uint32_t distance)
{
	if (key >> 1 >= drb_outage_links(t) || distance > drb_outage_distance_max(t))
		return;
	uint32_t at = find_place(o, key);
	if (at < o->count && o->key[at] == key) {
		if (distance < o->distance[at])
			come_nearer(o, at, distance);
		return;
	}
	if (o->count == DRB_OUTAGES_MAX) {
		if (o->farthest <= distance)
			return;
		uint32_t last = find_farthest(o);
		remove_at(o, last);
		at -= at > last;
	}
	insert_at(o, at, key, distance);
	if (o->count == DRB_OUTAGES_MAX)
		o->farthest = o->distance[find_farthest(o)];
}

static bool is_own(const struct drb_tree *t, uint32_t link, uint32_t layer, uint32_t label)
{
	const struct drb_end low = drb_outage_end(t, link);
	const struct drb_end high = drb_tree_up_peer(t, low.layer, low.label, low.port);

	return (low.layer == layer && low.label == label) ||
	       (high.layer == layer && high.label == label);
}

void drb_outages_hear(struct drb_outages *o, const struct drb_tree *t,
		      const struct drb_outages *told, uint32_t layer, uint32_t label)
{
	for (uint32_t i = 0; i < told->count; i++) {
		const uint32_t link = told->key[i] >> 1;
		if (link < drb_outage_links(t) && !is_own(t, link, layer, label))
			drb_outages_add(o, t, told->key[i], told->distance[i] + 1u);
	}
}

bool drb_outages_same_links(const struct drb_outages *a, const struct drb_outages *b)
{
	return a->count == b->count && memcmp(a->key, b->key, a->count * sizeof(*a->key)) == 0;
}

bool drb_outages_equal(const struct drb_outages *a, const struct drb_outages *b)
{
	return drb_outages_same_links(a, b) && memcmp(a->distance, b->distance, a->count) == 0;
}
