// SPDX-License-Identifier: BSD-3-Clause
#include "gen/replay/machine_loss.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "gen/replay/link_report.h"

// Further packets that a switch would have received, from below and from above.
struct more {
	double from_below, from_above;
};

static double grown(const struct watched_port *p, size_t key)
{
	const char *from = (const char *)&p->count[WATCH_START],
		   *to = (const char *)&p->count[WATCH_END];

	return drb_real_of(watch_grown(*(const uint64_t *)(const void *)(from + key),
				       *(const uint64_t *)(const void *)(to + key)));
}
#define GROWN(p, key) grown(p, offsetof(struct drb_port_counters, key))

static bool goes_up(const struct watched_port *p)
{
	return p->name[0] == 'u';
}

static double traffic(const struct watched_port *p)
{
	return GROWN(p, out_packets) + GROWN(p, out_discards);
}

// The switch at the other end of a port; NULL: a host, or a switch that is not watched.
static struct more *behind(const struct link_watch *w, const struct watched_port *p,
			   struct more more[])
{
	unsigned layer, label;

	if (sscanf(p->peer, "s%u-%u.", &layer, &label) != 2)
		return NULL;
	for (size_t i = 0; i < w->count; i++)
		if (w->at[i].layer == layer && w->at[i].label == label)
			return &more[i];
	return NULL;
}

// Returns the number of further packets that a link would have carried if `coming` more had arrived
// and it had dropped none.
static double carried(const struct watched_switch *s, const struct watched_port *p, double coming,
		      uint64_t start_ns)
{
	double time = link_packet_ns(p), want = coming + GROWN(p, out_discards);
	double since =
		(double)(start_ns > s->time_ns[WATCH_START] ? start_ns : s->time_ns[WATCH_START]);

	if (time == 0)
		return coming;
	// fmin() and fmax() would ignore a figure that the switch does not report.
	if (isnan(want + GROWN(p, out_packets) + GROWN(p, lost_credit_ns)))
		return NAN;
	double left = ((double)s->time_ns[WATCH_END] - since) / time - GROWN(p, out_packets);
	// A full queue drops packets even if its link is served in time. Therefore at most as many
	// drops count as packets fit into the time that the link lost.
	double own = fmin(GROWN(p, out_discards), GROWN(p, lost_credit_ns) / time);
	return fmax(0, fmin(fmin(want, coming + own), left));
}

// Passes packets on through the links of a switch in one direction. Returns those that reach hosts.
static double pass_on(const struct link_watch *w, size_t i, bool up, struct more more[],
		      uint64_t start_ns)
{
	const struct watched_switch *s = &w->at[i];
	double all = 0, down = 0, arrived = 0;

	for (uint32_t k = 0; k < s->ports; k++) {
		all += traffic(&s->port[k]);
		down += goes_up(&s->port[k]) ? 0 : traffic(&s->port[k]);
	}
	for (uint32_t k = 0; k < s->ports; k++) {
		const struct watched_port *p = &s->port[k];
		if (goes_up(p) != up || traffic(p) == 0)
			continue;
		double coming = more[i].from_below * traffic(p) / all +
				(up ? 0 : more[i].from_above * traffic(p) / down);
		double goes = carried(s, p, coming, start_ns);
		struct more *next = behind(w, p, more);
		if (!next)
			arrived += goes;
		else if (up)
			next->from_below += goes;
		else
			next->from_above += goes;
	}
	return arrived;
}

static void add_missed(const struct watched_switch *s, struct more *more)
{
	for (uint32_t k = 0; k < s->ports; k++)
		*(goes_up(&s->port[k]) ? &more->from_above : &more->from_below) +=
			GROWN(&s->port[k], in_missed);
}

double machine_loss_of(const struct link_watch *w, uint64_t start_ns)
{
	struct more *more = calloc(w->count + 1, sizeof(*more));
	double arrived = 0;

	// A switch that was in time misses only packets whose size makes the kernel drop them.
	for (size_t i = 0; more && i < w->count; i++)
		if (!w->at[i].gone && link_was_late(&w->at[i]))
			add_missed(&w->at[i], &more[i]);
	// The order is that in which packets pass switches: up from layer 1, then down to it.
	for (int step = 1; more && step <= 2 * DRB_LAYERS_MAX; step++) {
		bool up = step <= DRB_LAYERS_MAX;
		uint32_t layer = (uint32_t)(up ? step : 2 * DRB_LAYERS_MAX + 1 - step);
		for (size_t i = 0; i < w->count; i++)
			if (w->at[i].layer == layer && !w->at[i].gone)
				arrived += pass_on(w, i, up, more, start_ns);
	}
	free(more);
	return arrived;
}
