// SPDX-License-Identifier: BSD-3-Clause
#include "gen/replay/pace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/cli/file.h"
#include "common/cli/log.h"
#include "common/cli/quantity.h"

#define LONG_NS 120e9 // pauses from this length on deserve a warning

void pace_shorten(struct trace *t, uint64_t most_ns)
{
	int64_t left_out = 0;

	for (size_t i = 1; i < t->count; i++) {
		int64_t gap = t->packet[i].time_ns - left_out - t->packet[i - 1].time_ns;
		if ((uint64_t)gap > most_ns)
			left_out += gap - (int64_t)most_ns;
		t->packet[i].time_ns -= left_out;
	}
}

// ns for which the busiest link of a host sends or receives the packets of the trace.
static double busiest_ns(const struct trace *t, const struct drb_addr_plan *plan,
			 const struct host_link link[])
{
	double *busy = calloc(2 * (size_t)plan->hosts, sizeof(*busy)), most = 0;

	for (size_t i = 0; i < t->count && busy; i++) {
		const struct trace_packet *p = &t->packet[i];
		uint32_t to = drb_addr_of_mac(plan, p->frame);
		double *sends = &busy[2 * p->host], *receives = &busy[2 * to + 1];
		*sends += host_link_ns(&link[p->host], p->size);
		*receives += host_link_ns(&link[to], p->size);
		most = *sends > most ? *sends : most;
		most = *receives > most ? *receives : most;
	}
	free(busy);
	return most;
}

int pace_load(struct schedule *s, const struct trace *t, const struct drb_addr_plan *plan,
	      const struct host_link link[], double load)
{
	s->multiplier = 1;
	s->mode = SCHEDULE_TIMES;
	// The period from one repetition of the trace to the next.
	const struct schedule twice = {.mode = SCHEDULE_TIMES, .multiplier = 1, .loops = 2};
	double period_ns = (double)schedule_time(&twice, t, t->count);
	if (period_ns <= 0) {
		drb_error("--load: all packets have the same time: --pps");
		return -ENOTSUP;
	}
	double captured = busiest_ns(t, plan, link) / period_ns;
	s->multiplier = load / captured;
	drb_info("--load %g: %.3g times as fast as captured, which was a load of %.3g", load,
		 s->multiplier, captured);
	return 0;
}

int pace_by_links(const struct schedule *s, struct trace *t, const struct host_link link[],
		  uint32_t hosts)
{
	double *free_ns = calloc(hosts, sizeof(*free_ns)), longest = 0;
	uint64_t delayed = 0;
	char text[DRB_DURATION_MAX];

	if (!free_ns) {
		drb_error("out of memory");
		return -ENOMEM;
	}
	for (size_t i = 0; i < t->count && s->mode == SCHEDULE_TIMES; i++) {
		struct trace_packet *p = &t->packet[i];
		double at = (double)p->time_ns / s->multiplier, wait = free_ns[p->host] - at;
		if (wait >= 1) {
			delayed++;
			longest = wait > longest ? wait : longest;
			at += wait;
			p->time_ns = (int64_t)(at * s->multiplier);
		}
		free_ns[p->host] = at + host_link_ns(&link[p->host], p->size);
	}
	free(free_ns);
	if (delayed == 0)
		return 0;
	trace_merge(t, 0);
	drb_info("%" PRIu64 " packets are in bursts beyond the rate of their host's link: they are "
		 "sent as the link carries them, up to %s later",
		 delayed, drb_format_duration(longest, text));
	return 0;
}

void pace_warn(const struct schedule *s, const struct trace *t, char *const paths[])
{
	double longest = 0;
	size_t at = 0, more = 0;
	char length[DRB_DURATION_MAX], others[64] = "";

	for (size_t i = 1; i < t->count && s->mode == SCHEDULE_TIMES; i++) {
		double gap =
			(double)(t->packet[i].time_ns - t->packet[i - 1].time_ns) / s->multiplier;
		more += gap >= LONG_NS;
		if (gap <= longest)
			continue;
		longest = gap;
		at = i;
	}
	if (longest < LONG_NS)
		return;
	if (more > 1)
		snprintf(others, sizeof(others), ", the longest of %zu pauses of minutes", more);
	drb_warn("%s: packet %" PRIu32 " comes %s after the one before it%s: --max-gap 1s shortens "
		 "pauses, --pps sends evenly",
		 drb_file_name(paths[t->packet[at].file]), t->packet[at].number,
		 drb_format_duration(longest, length), others);
}
