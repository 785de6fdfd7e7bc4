// SPDX-License-Identifier: BSD-3-Clause
#include "sim/models/growth_meter.h"

#include <errno.h>
#include <stdlib.h>

// Special values of `before`, which is otherwise a length.
#define FOUND_EMPTY UINT32_MAX
#define NEVER_USED (UINT32_MAX - 1) // found empty each time

static uint64_t queues_of(const struct drb_tree *t)
{
	uint64_t queues = 0;

	for (uint32_t m = 1; m <= t->layers; m++)
		queues += (uint64_t)drb_tree_switches(t, m) *
			  (drb_tree_up_ports(t, m) + drb_tree_down_ports(t, m));
	return queues;
}

uint64_t drb_growth_bytes(const struct drb_tree *t)
{
	return queues_of(t) * sizeof(struct drb_growth_queue);
}

int drb_growth_init(struct drb_growth_meter *g, const struct drb_tree *t, uint32_t slots,
		    const struct drb_traffic_kind *traffic)
{
	const uint32_t uplinks = drb_tree_up_ports(t, 1), hosts = drb_tree_down_ports(t, 1);

	*g = (struct drb_growth_meter){
		.slots = slots,
		.lasting = drb_growth_lasting(traffic),
		.uplinks = uplinks,
		.hosts = hosts,
		.rack_queues = (uint64_t)drb_tree_switches(t, 1) * (uplinks + hosts),
		.queues = queues_of(t),
	};
	g->queue = calloc(g->queues, sizeof(*g->queue));
	return g->queue ? 0 : -ENOMEM;
}

void drb_growth_free(struct drb_growth_meter *g)
{
	free(g->queue);
	g->queue = NULL;
}

void drb_growth_switches(struct drb_growth_meter *g, const struct drb_layer *l,
			 struct drb_range range, uint32_t slot)
{
	const uint32_t half = g->slots / 2;
	const bool begins = slot + 1 == half, ends = slot + 1 == g->slots;
	const uint64_t ports = l->up + l->down;

	if (!begins && !ends && (slot < half || slot >= g->slots || slot % DRB_GROWTH_EVERY != 0))
		return;
	for (uint64_t i = range.first * ports; i < range.last * ports; i++) {
		struct drb_growth_queue *queue = &g->queue[l->first_fifo + i];
		if (begins)
			queue->before = l->len[i] ? l->len[i] : NEVER_USED;
		else if ((l->len[i] == 0) != (queue->before == NEVER_USED))
			queue->before = FOUND_EMPTY;
		queue->after = l->len[i];
	}
}

void drb_growth_slot(struct drb_growth_meter *g, const struct drb_fabric *f, uint32_t slot)
{
	for (uint32_t m = 1; m <= f->tree.layers; m++) {
		const struct drb_layer *l = &f->layer[m];
		drb_growth_switches(g, l, (struct drb_range){0, l->switches}, slot);
	}
}

static double slots_of(const struct drb_growth_meter *g)
{
	return (double)(g->slots - g->slots / 2);
}

// The rise of a queue that was never found empty.
static double rise_of(const struct drb_growth_queue *queue)
{
	return (double)queue->after - queue->before;
}

// The verdict on all used uplinks of a rack together. queue: that of its first uplink.
static enum drb_growth growth_of_rack(const struct drb_growth_meter *g,
				      const struct drb_growth_queue *queue)
{
	double rise = 0, used = 0;

	for (uint32_t u = 0; u < g->uplinks; u++) {
		if (queue[u].before == FOUND_EMPTY)
			return DRB_GROWTH_NO;
		rise += queue[u].before == NEVER_USED ? 0 : rise_of(&queue[u]);
		used += queue[u].before != NEVER_USED;
	}
	if (used >= g->hosts)
		return DRB_GROWTH_NO; // the uplinks can carry all that arrives
	return drb_growth_of_link(rise, slots_of(g) * g->lasting * used * (1 - used / g->hosts));
}

enum drb_growth drb_growth_of_queue(const struct drb_growth_meter *g, uint64_t i)
{
	const struct drb_growth_queue *queue = &g->queue[i];
	const uint32_t port = (uint32_t)(i % (g->uplinks + g->hosts));

	if (queue->before >= NEVER_USED)
		return DRB_GROWTH_NO;
	enum drb_growth alone = drb_growth_of_link(rise_of(queue), slots_of(g) * g->lasting);
	if (i >= g->rack_queues || port >= g->uplinks)
		return alone;
	enum drb_growth together = growth_of_rack(g, queue - port);
	return together > alone ? together : alone;
}

enum drb_growth drb_growth_of_fabric(const struct drb_growth_meter *g, uint64_t *links)
{
	enum drb_growth most = DRB_GROWTH_NO;

	if (links)
		*links = 0;
	for (uint64_t i = 0; i < g->queues; i++) {
		enum drb_growth growth = drb_growth_of_queue(g, i);
		most = growth > most ? growth : most;
		if (links)
			*links += growth == DRB_GROWTH_YES;
	}
	return most;
}

double drb_growth_shown(const struct drb_growth_meter *g)
{
	return drb_growth_least(slots_of(g), g->lasting);
}
