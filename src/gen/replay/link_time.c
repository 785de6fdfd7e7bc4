// SPDX-License-Identifier: BSD-3-Clause
#include "gen/replay/link_time.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/cli/log.h"
#include "common/cli/quantity.h"
#include "common/telemetry/switch_reader.h"

// Slots this much longer or shorter than a packet's time are meant to be the same.
#define SAME 0.01

// A port of a layer-1 switch of the fabric, or if it has none of this name its first to a host; false: nobody
// answers.
static bool read_port(const char *fabric, const char *port, struct drb_switch_port *link)
{
	struct drb_switch_socket *at;
	struct drb_switch_all all;
	struct drb_telemetry t;
	size_t count;
	bool found = false;

	if (drb_telemetry_scan(NULL, fabric, &at, &count) < 0)
		return false;
	for (size_t i = 0; i < count && at[i].layer == 1 && !found; i++) {
		if (drb_telemetry_open(&t, at[i].path, DRB_TELEMETRY_PROMPT_MS) < 0)
			continue;
		found = drb_read_all(&t, &all) == 0;
		drb_telemetry_close(&t);
		if (!found)
			continue;
		const struct drb_switch_port *named = drb_port_named(&all, port);
		*link = named ? *named : all.ports[0];
		drb_switch_all_free(&all);
	}
	free(at);
	return found;
}

int link_time_of_hosts(const char *fabric, struct drb_rate *rate, uint64_t *overhead)
{
	struct drb_switch_port link;

	if (!read_port(fabric, "d0", &link) || drb_parse_rate(link.rate, rate) < 0)
		return -ENOENT;
	*overhead = link.overhead;
	return 0;
}

// As users write it.
static void format_time(double ns, char text[32])
{
	if (ns >= 1e6)
		snprintf(text, 32, "%.6gms", ns / 1e6);
	else
		snprintf(text, 32, "%.6gus", ns / 1e3);
}

void link_time_compare(const struct link_time_traffic *traffic)
{
	struct drb_switch_port link;
	struct drb_rate rate;
	char slot[32], takes[32];

	if (!read_port(traffic->fabric, "u0", &link) || drb_parse_rate(link.rate, &rate) < 0 ||
	    rate.value == 0)
		return;
	double bits = 8.0 * (double)(traffic->size + link.overhead);
	double link_ns = 1e9 * (rate.per_packet ? 1 : bits) / rate.value;
	double times = link_ns / (double)traffic->slot_ns;
	if (times > 1 - SAME && times < 1 + SAME)
		return;
	format_time((double)traffic->slot_ns, slot);
	format_time(link_ns, takes);
	drb_warn("the traffic has slots of %s, but a packet takes %s on links of fabric %s (%s): "
		 "loads "
		 "are %.3g times those it was written with%s; --slot %s fits",
		 slot, takes, traffic->fabric, link.rate, times,
		 times > 1 ? ", and queues fill" : "", takes);
}
