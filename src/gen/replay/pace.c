// SPDX-License-Identifier: BSD-3-Clause
#include "gen/replay/pace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/cli/file.h"
#include "common/cli/log.h"
#include "common/cli/quantity.h"
#include "gen/replay/link_time.h"

#define LONG_NS 120e9 // of a pause that nobody waits for without a word

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

// ns for which the busiest link of a host sends or receives what is in the trace.
static double busiest_ns(const struct trace *t, const struct drb_addr_plan *plan,
			 const struct drb_rate *rate, uint64_t overhead)
{
	double *busy = calloc(2 * (size_t)plan->hosts, sizeof(*busy)), most = 0;

	for (size_t i = 0; i < t->count && busy; i++) {
		const struct trace_packet *p = &t->packet[i];
		double bits = 8 * (double)(p->size + overhead);
		double ns = 1e9 * (rate->per_packet ? 1 : bits) / rate->value;
		double *from = &busy[2 * p->host];
		double *to = &busy[2 * drb_addr_of_mac(plan, p->frame) + 1];
		*from += ns;
		*to += ns;
		most = *from > most ? *from : most;
		most = *to > most ? *to : most;
	}
	free(busy);
	return most;
}

int pace_load(struct schedule *s, const struct trace *t, const struct drb_addr_plan *plan,
	      const char *fabric, double load)
{
	struct drb_rate rate = {0};
	uint64_t overhead;

	if (link_time_of_hosts(fabric, &rate, &overhead) < 0) {
		drb_error("--load: no switch of fabric %s reports the rate of its links", fabric);
		return -ENOENT;
	}
	if (rate.value == 0) {
		drb_error(
			"--load: links of fabric %s have no rate: topo/fabric up --rate, or --pps",
			fabric);
		return -ENOTSUP;
	}
	s->multiplier = 1;
	s->mode = SCHEDULE_TIMES;
	// Up to where the trace would begin again.
	const struct schedule twice = {.mode = SCHEDULE_TIMES, .multiplier = 1, .loops = 2};
	double period_ns = (double)schedule_time(&twice, t, t->count);
	if (period_ns <= 0) {
		drb_error("--load: all packets have the same time: --pps");
		return -ENOTSUP;
	}
	double captured = busiest_ns(t, plan, &rate, overhead) / period_ns;
	s->multiplier = load / captured;
	drb_info("--load %g: %.3g times as fast as captured, which was a load of %.3g", load,
		 s->multiplier, captured);
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
