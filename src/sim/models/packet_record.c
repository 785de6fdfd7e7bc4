// SPDX-License-Identifier: BSD-3-Clause
#include "sim/models/packet_record.h"

#include <stdlib.h>

#include "common/measures/quantile.h"

#define NOT_ARRIVED (UINT64_C(1) << 31) // in the lower half of packet[], beside a latency
#define LATENCY (NOT_ARRIVED - 1)

uint64_t drb_record_bytes(const struct drb_tree *t, uint32_t slots)
{
	return (uint64_t)t->hosts * slots * sizeof(uint64_t) +
	       slots * (sizeof(uint64_t) + sizeof(struct drb_arrival));
}

struct drb_packet_record *drb_record_new(const struct drb_tree *t, uint32_t first, uint32_t slots)
{
	struct drb_packet_record *r = malloc(sizeof(*r));

	if (!r)
		return NULL;
	*r = (struct drb_packet_record){.tree = *t, .first = first, .slots = slots};
	r->packet = calloc((size_t)t->hosts * slots, sizeof(*r->packet));
	r->key = malloc(slots * sizeof(*r->key));
	r->arrival = malloc(slots * sizeof(*r->arrival));
	if (!r->packet || !r->key || !r->arrival) {
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

void drb_record_result(struct drb_packet_record *r, const struct drb_link_record *links,
		       struct drb_packet_detail *detail)
{
	*detail = (struct drb_packet_detail){0};
	for (uint32_t m = 1; m <= r->tree.layers; m++) {
		detail->up[m] = drb_link_record_use(links, m, true);
		detail->down[m] = drb_link_record_use(links, m, false);
	}
	for (uint32_t h = 0; h < r->tree.hosts; h++)
		add_source(r, r->packet + (uint64_t)h * r->slots, &detail->order);
	detail->latency = latency_of(r);
}
