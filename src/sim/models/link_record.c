// SPDX-License-Identifier: BSD-3-Clause
#include "sim/models/link_record.h"

#include <stdlib.h>

static uint64_t links_of(const struct drb_tree *t, uint32_t layer)
{
	return (uint64_t)drb_tree_switches(t, layer) *
	       (drb_tree_up_ports(t, layer) + drb_tree_down_ports(t, layer));
}

static uint64_t links_in(const struct drb_tree *t)
{
	uint64_t links = 0;

	for (uint32_t m = 1; m <= t->layers; m++)
		links += links_of(t, m);
	return links;
}

uint64_t drb_link_record_bytes(const struct drb_tree *t)
{
	return links_in(t) * sizeof(struct drb_queue_record);
}

struct drb_link_record *drb_link_record_new(const struct drb_tree *t, uint32_t first,
					    uint32_t slots)
{
	struct drb_link_record *r = malloc(sizeof(*r));

	if (!r)
		return NULL;
	*r = (struct drb_link_record){
		.tree = *t, .first = first, .slots = slots, .links = links_in(t)};
	for (uint32_t m = 1; m < t->layers; m++)
		r->first_of[m + 1] = r->first_of[m] + links_of(t, m);
	r->queue = calloc(r->links, sizeof(*r->queue));
	if (!r->queue) {
		free(r);
		return NULL;
	}
	return r;
}

void drb_link_record_free(struct drb_link_record *r)
{
	if (!r)
		return;
	free(r->queue);
	free(r);
}

// Notes which links of a switch carry a packet in the next slot.
static void note_leaving(struct drb_queue_record *queue, const struct drb_layer *l, uint32_t s)
{
	const uint64_t *down = l[-1].from_above.next + l->down_to[s];

	for (uint32_t u = 0; u < l->up; u++)
		queue[u].leaves =
			l[1].from_below.next[l->up_to[s] + u * l->up_stride] != DRB_NO_PACKET;
	for (uint32_t p = 0; p < l->down; p++)
		queue[l->up + p].leaves = down[p * l->down_stride] != DRB_NO_PACKET;
}

// A slow link is also in use while its packet has not yet reached the other end.
static void add_queue(struct drb_queue_record *queue, uint32_t left, const struct drb_pace *pace)
{
	uint32_t length = left + queue->leaves;

	queue->carried += queue->leaves + (pace && pace->last != DRB_LINK_IDLE);
	queue->length += length;
	queue->longest = length > queue->longest ? length : queue->longest;
	queue->leaves = false;
}

void drb_link_record_slot(struct drb_link_record *r, const struct drb_fabric *f,
			  const struct drb_slow_links *slow, uint32_t slot)
{
	if (slot < r->first || slot - r->first >= r->slots)
		return;
	r->seen++;
	for (uint32_t m = 1; m <= f->tree.layers; m++) {
		const struct drb_layer *l = &f->layer[m];
		struct drb_queue_record *queue = r->queue + r->first_of[m];
		for (uint32_t s = 0; s < l->switches; s++)
			note_leaving(queue + (uint64_t)s * (l->up + l->down), l, s);
		for (uint64_t i = 0; i < links_of(&f->tree, m); i++)
			add_queue(&queue[i], l->len[i], slow->of[m] ? &slow->of[m][i] : NULL);
	}
}

void drb_link_record_refusal(struct drb_link_record *r, uint32_t layer, uint64_t entry)
{
	r->queue[r->first_of[layer] + entry].refused++;
}

struct drb_link_use drb_link_record_use(const struct drb_link_record *r, uint32_t layer, bool up)
{
	uint32_t ups = drb_tree_up_ports(&r->tree, layer),
		 downs = drb_tree_down_ports(&r->tree, layer), count = up ? ups : downs;
	uint32_t switches = drb_tree_switches(&r->tree, layer);
	const struct drb_queue_record *queue = r->queue + r->first_of[layer] + (up ? 0 : ups);
	uint64_t sum = 0, most = 0;

	for (uint32_t s = 0; s < switches; s++, queue += ups + downs) {
		for (uint32_t i = 0; i < count; i++) {
			sum += queue[i].carried;
			most = queue[i].carried > most ? queue[i].carried : most;
		}
	}
	double links = (double)switches * count, slots = r->seen;
	return (struct drb_link_use){links > 0 ? (double)sum / links / slots : 0,
				     (double)most / slots};
}

struct drb_link_figures drb_link_record_of(const struct drb_link_record *r, uint64_t i)
{
	const struct drb_queue_record *queue = &r->queue[i];
	uint32_t m = 1;

	while (m < r->tree.layers && i >= r->first_of[m + 1])
		m++;
	uint32_t ups = drb_tree_up_ports(&r->tree, m),
		 ports = ups + drb_tree_down_ports(&r->tree, m);
	uint32_t at = (uint32_t)((i - r->first_of[m]) % ports);
	return (struct drb_link_figures){
		.from = {m, (uint32_t)((i - r->first_of[m]) / ports), at < ups ? at : at - ups,
			 at < ups},
		.use = (double)queue->carried / r->seen,
		.queue_mean = (double)queue->length / r->seen,
		.queue_max = queue->longest,
		.refused = queue->refused,
	};
}
