// SPDX-License-Identifier: BSD-3-Clause
#include "sim/models/growth_meter.h"

#include <errno.h>
#include <stdlib.h>

#define FOUND_EMPTY UINT32_MAX

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
	*g = (struct drb_growth_meter){
		.slots = slots, .lasting = drb_growth_lasting(traffic), .queues = queues_of(t)};
	g->queue = calloc(g->queues, sizeof(*g->queue));
	return g->queue ? 0 : -ENOMEM;
}

void drb_growth_free(struct drb_growth_meter *g)
{
	free(g->queue);
	g->queue = NULL;
}

void drb_growth_slot(struct drb_growth_meter *g, const struct drb_fabric *f, uint32_t slot)
{
	const uint32_t half = g->slots / 2;
	const bool begins = slot + 1 == half, ends = slot + 1 == g->slots;
	struct drb_growth_queue *queue = g->queue;

	if (!begins && !ends && (slot < half || slot >= g->slots || slot % DRB_GROWTH_EVERY != 0))
		return;
	for (uint32_t m = 1; m <= f->tree.layers; m++) {
		const struct drb_layer *l = &f->layer[m];
		uint64_t queues = (uint64_t)l->switches * (l->up + l->down);
		for (uint64_t i = 0; i < queues; i++, queue++) {
			if (begins)
				queue->before = l->len[i];
			if (l->len[i] == 0)
				queue->before = FOUND_EMPTY;
			queue->after = l->len[i];
		}
	}
}

enum drb_growth drb_growth_of_queue(const struct drb_growth_meter *g, uint64_t i)
{
	const struct drb_growth_queue *queue = &g->queue[i];

	if (queue->before == FOUND_EMPTY)
		return DRB_GROWTH_NO;
	return drb_growth_of_link((double)queue->after - queue->before,
				  (double)(g->slots - g->slots / 2) * g->lasting);
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
