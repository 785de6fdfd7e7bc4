// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/views/hot_spots.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "common/cli/quantity.h"

#define FULL 0.95   // share of time that a full link sends, or would send if served in time
#define SLOWED 0.01 // share of time lost, from which a link counts as slowed

// The growth of a counter, at least 0; NaN if a reading is unknown.
static double grown(uint64_t before, uint64_t now)
{
	const double growth = drb_difference(before, now);

	return growth < 0 ? 0 : growth;
}

static struct hot_spot measured(const struct drb_switch_port *before,
				const struct drb_switch_port *now, double seconds)
{
	const struct drb_port_counters *b = &before->count, *n = &now->count;
	struct hot_spot spot = {.queued = n->queue_packets};
	struct drb_rate rate;

	if (drb_parse_rate(now->rate, &rate) < 0 || rate.value == 0)
		return spot;
	double sent = rate.per_packet ? grown(b->out_packets, n->out_packets)
				      : 8 * grown(b->out_octets, n->out_octets);
	spot.load = sent / seconds / rate.value;
	spot.slowed = grown(b->lost_credit_ns, n->lost_credit_ns) / seconds / 1e9;
	return spot;
}

static bool hotter(const struct hot_spot *a, const struct hot_spot *b)
{
	bool slow_a = a->slowed >= SLOWED, slow_b = b->slowed >= SLOWED;

	return slow_a != slow_b ? slow_a : a->queued > b->queued;
}

static void hot_spot_keep(struct hot_spots *hot, const struct hot_spot *spot)
{
	uint32_t i = hot->count;

	if (hot->count == HOT_SPOTS_MAX) {
		hot->more++;
		if (!hotter(spot, &hot->at[--i]))
			return;
	} else {
		hot->count++;
	}
	for (; i > 0 && hotter(spot, &hot->at[i - 1]); i--)
		hot->at[i] = hot->at[i - 1];
	hot->at[i] = *spot;
}

double hot_spots_add(struct hot_spots *hot, const struct drb_switch_all *before,
		     const struct drb_switch_all *now)
{
	double seconds = drb_difference(before->time_ns, now->time_ns) / 1e9, most = 0;

	for (uint32_t i = 0; i < now->port_count && i < before->port_count; i++) {
		struct hot_spot spot = measured(&before->ports[i], &now->ports[i], seconds);
		most = spot.slowed > most || isnan(spot.slowed) ? spot.slowed : most;
		if (spot.queued < 2 || spot.queued == DRB_UNKNOWN ||
		    !(spot.load + spot.slowed >= FULL))
			continue;
		snprintf(spot.port, sizeof(spot.port), "%.31s.%.31s", now->info.name,
			 now->ports[i].name);
		hot_spot_keep(hot, &spot);
	}
	return most;
}

void hot_spots_print(const struct hot_spots *hot)
{
	for (uint32_t i = 0; i < hot->count; i++) {
		const struct hot_spot *spot = &hot->at[i];
		printf("%s%s ", i ? "; " : "hot spots: ", spot->port);
		if (spot->slowed >= SLOWED)
			printf("sends at %.0f %% of its rate for want of CPU time",
			       100 * spot->load);
		else
			printf("is full");
		printf(", %" PRIu64 " queued", spot->queued);
	}
	if (hot->more)
		printf("; and %" PRIu32 " more", hot->more);
	if (hot->count)
		putchar('\n');
}
