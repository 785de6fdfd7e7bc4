// SPDX-License-Identifier: BSD-3-Clause
#include "sim/models/packet_record.h"

#include <stdlib.h>

#include "common/measures/quantile.h"

#define NOT_ARRIVED (UINT64_C(1) << 31) // in the lower half of packet[], beside a latency
#define LATENCY (NOT_ARRIVED - 1)

static uint64_t links_of(const struct drb_tree *t, uint32_t layer)
{
	return (uint64_t)drb_tree_switches(t, layer) *
	       (drb_tree_up_ports(t, layer) + drb_tree_down_ports(t, layer));
}

uint64_t drb_record_bytes(const struct drb_tree *t, uint32_t slots)
{
	uint64_t links = 0;

	for (uint32_t m = 1; m <= t->layers; m++)
		links += links_of(t, m);
	return (uint64_t)t->hosts * slots * sizeof(uint64_t) +
	       links * sizeof(struct drb_queue_record) +
	       slots * (sizeof(uint64_t) + sizeof(struct drb_arrival));
}

struct drb_packet_record *drb_record_new(const struct drb_tree *t, uint32_t first, uint32_t slots)
{
	struct drb_packet_record *r = malloc(sizeof(*r));
	uint64_t links = 0;

	if (!r)
		return NULL;
	*r = (struct drb_packet_record){.tree = *t, .first = first, .slots = slots};
	for (uint32_t m = 1; m <= t->layers; m++) {
		r->first_of[m] = links;
		links += links_of(t, m);
	}
	r->packet = calloc((size_t)t->hosts * slots, sizeof(*r->packet));
	r->queue = calloc(links, sizeof(*r->queue));
	r->key = malloc(slots * sizeof(*r->key));
	r->arrival = malloc(slots * sizeof(*r->arrival));
	if (!r->packet || !r->queue || !r->key || !r->arrival) {
		drb_record_free(r);
		return NULL;
	}
	return r;
}

void drb_record_free(struct drb_packet_record *r)
{
	if (!r)
		return;
	free(r->packet);
	free(r->queue);
	free(r->key);
	free(r->arrival);
	free(r);
}

void drb_record_packet(struct drb_packet_record *r, uint32_t source, uint32_t dest, uint32_t birth,
		       uint32_t latency)
{
	r->packet[(uint64_t)source * r->slots + birth - r->first] =
		(uint64_t)dest << 32 | latency | (r->ended ? NOT_ARRIVED : 0);
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

// A slow link is also in use by a packet that does not reach the other end yet.
static void add_queue(struct drb_queue_record *queue, uint32_t left, const struct drb_pace *pace)
{
	uint32_t length = left + queue->leaves;

	queue->carried += queue->leaves + (pace && pace->last != DRB_LINK_IDLE);
	queue->length += length;
	queue->longest = length > queue->longest ? length : queue->longest;
	queue->leaves = false;
}

void drb_record_links(struct drb_packet_record *r, const struct drb_fabric *f,
		      const struct drb_slow_links *slow, uint32_t slot)
{
	if (slot < r->first || slot - r->first >= r->slots)
		return;
	for (uint32_t m = 1; m <= f->tree.layers; m++) {
		const struct drb_layer *l = &f->layer[m];
		struct drb_queue_record *queue = r->queue + r->first_of[m];
		for (uint32_t s = 0; s < l->switches; s++)
			note_leaving(queue + (uint64_t)s * (l->up + l->down), l, s);
		for (uint64_t i = 0; i < links_of(&f->tree, m); i++)
			add_queue(&queue[i], l->len[i], slow->of[m] ? &slow->of[m][i] : NULL);
	}
}

// Adds the streams of one source: its packets sorted by destination, then by birth.
static void add_source(const struct drb_packet_record *r, const uint64_t packet[],
		       struct drb_reordering *order)
{
	uint64_t *key = r->key;
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->slots; i++) {
		if (packet[i] && !(packet[i] & NOT_ARRIVED))
			key[n++] = (packet[i] >> 32) << 32 | i;
	}
	drb_quantile_sort(key, n);
	for (uint32_t i = 0, count = 0; i < n; i++) {
		uint32_t born = (uint32_t)key[i];
		r->arrival[count++].at = born + (packet[born] & LATENCY);
		if (i + 1 < n && key[i + 1] >> 32 == key[i] >> 32)
			continue;
		drb_reordering_add(order, r->arrival, count);
		count = 0;
	}
}

// Overwrites the records of packets with their latencies.
static struct drb_latency latency_of(struct drb_packet_record *r)
{
	uint64_t *packet = r->packet;
	size_t n = 0;

	for (size_t i = 0; i < (size_t)r->tree.hosts * r->slots; i++) {
		if (packet[i])
			packet[n++] = packet[i] & LATENCY;
	}
	return drb_latency_of(packet, n);
}

// The use of the links of all switches of a layer, in one direction.
static struct drb_link_use use_of(const struct drb_packet_record *r, uint32_t layer, bool up)
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
	double links = (double)switches * count, slots = r->slots;
	return (struct drb_link_use){links > 0 ? (double)sum / links / slots : 0,
				     (double)most / slots};
}

struct drb_link_figures drb_record_link(const struct drb_packet_record *r, uint64_t i)
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
		.use = (double)queue->carried / r->slots,
		.queue_mean = (double)queue->length / r->slots,
		.queue_max = queue->longest,
	};
}

void drb_record_result(struct drb_packet_record *r, struct drb_packet_detail *detail)
{
	*detail = (struct drb_packet_detail){0};
	for (uint32_t m = 1; m <= r->tree.layers; m++) {
		detail->up[m] = use_of(r, m, true);
		detail->down[m] = use_of(r, m, false);
	}
	for (uint32_t h = 0; h < r->tree.hosts; h++)
		add_source(r, r->packet + (uint64_t)h * r->slots, &detail->order);
	detail->latency = latency_of(r);
}
