// SPDX-License-Identifier: BSD-3-Clause
#include "gen/replay/link_time.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/log.h"
#include "common/cli/quantity.h"
#include "common/telemetry/switch_reader.h"

// Slots that differ from a packet's time by less than this share count as equal.
#define SAME 0.01
#define RATES_MAX 16 // most different rates in one fabric

typedef void visit_port(void *context, const struct drb_switch_all *all,
			const struct drb_switch_port *port);

// Visits the ports of all switches of a fabric up to this layer. Returns the number of switches
// that answer.
static size_t each_port(const char *fabric, uint32_t top, visit_port *visit, void *context)
{
	struct drb_switch_socket *at;
	struct drb_switch_all all;
	struct drb_telemetry t;
	size_t count, answers = 0;

	if (drb_telemetry_scan(NULL, fabric, &at, &count) < 0)
		return 0;
	for (size_t i = 0; i < count; i++) {
		if (at[i].layer > top ||
		    drb_telemetry_open(&t, at[i].path, DRB_TELEMETRY_PROMPT_MS) < 0)
			continue;
		int rc = drb_read_all(&t, &all);
		drb_telemetry_close(&t);
		if (rc < 0)
			continue;
		answers++;
		for (uint32_t k = 0; k < all.port_count; k++)
			visit(context, &all, &all.ports[k]);
		drb_switch_all_free(&all);
	}
	free(at);
	return answers;
}

struct host_links {
	struct host_link *link;
	uint32_t hosts;
	int rated;
};

static struct host_link link_of(const struct drb_rate *rate, uint64_t overhead)
{
	return (struct host_link){.packet_ns = rate->per_packet ? 1e9 / rate->value : 0,
				  .octet_ns = rate->per_packet ? 0 : 8e9 / rate->value,
				  .overhead = overhead};
}

static void take_host(void *context, const struct drb_switch_all *all,
		      const struct drb_switch_port *port)
{
	struct host_links *links = context;
	struct drb_rate rate;
	uint32_t host;

	(void)all;
	if (sscanf(port->peer, "h%" SCNu32, &host) != 1 || host >= links->hosts ||
	    drb_parse_rate(port->rate, &rate) < 0 || rate.value == 0 ||
	    port->overhead == DRB_UNKNOWN)
		return;
	links->link[host] = link_of(&rate, port->overhead);
	links->rated++;
}

int link_time_of_hosts(const char *fabric, uint32_t hosts, struct host_link link[])
{
	struct host_links links = {.link = link, .hosts = hosts};

	memset(link, 0, hosts * sizeof(*link));
	return each_port(fabric, 1, take_host, &links) ? links.rated : -ENOENT;
}

// The rates of uplinks, and how many have each rate.
struct uplinks {
	struct rated {
		struct drb_switch_port port; // the first port with this rate
		char name[DRB_NAME_MAX];     // name of its switch
		uint32_t count;
	} rate[RATES_MAX];
	uint32_t rates;
};

static void take_uplink(void *context, const struct drb_switch_all *all,
			const struct drb_switch_port *port)
{
	struct uplinks *u = context;
	uint32_t i = 0;

	// F(1,d) has one switch, which has no uplinks. Its links to hosts replace them.
	if (port->name[0] != 'u' && all->info.layers > 1)
		return;
	while (i < u->rates && strcmp(u->rate[i].port.rate, port->rate) != 0)
		i++;
	if (i == RATES_MAX)
		return;
	if (i == u->rates) {
		u->rate[u->rates++] = (struct rated){.port = *port};
		memcpy(u->rate[i].name, all->info.name, sizeof(u->rate[i].name));
	}
	u->rate[i].count++;
}

// Formats a time in the form of an option.
static void format_time(double ns, char text[32])
{
	if (ns >= 1e6)
		snprintf(text, 32, "%.6gms", ns / 1e6);
	else
		snprintf(text, 32, "%.6gus", ns / 1e3);
}

static void compare_slot(const struct link_time_traffic *traffic, const struct rated *most)
{
	struct drb_rate rate;
	char slot[32], takes[32];

	if (drb_parse_rate(most->port.rate, &rate) < 0 || rate.value == 0 ||
	    most->port.overhead == DRB_UNKNOWN)
		return;
	const struct host_link link = link_of(&rate, most->port.overhead);
	double link_ns = host_link_ns(&link, traffic->size);
	double times = link_ns / (double)traffic->slot_ns;
	if (times > 1 - SAME && times < 1 + SAME)
		return;
	format_time((double)traffic->slot_ns, slot);
	format_time(link_ns, takes);
	drb_warn("the traffic has slots of %s, but a packet takes %s on links of fabric %s (%s): "
		 "loads are %.3g times those it was written with%s; --slot %s fits",
		 slot, takes, traffic->fabric, most->port.rate, times,
		 times > 1 ? ", and queues fill" : "", takes);
}

void link_time_compare(const struct link_time_traffic *traffic)
{
	struct uplinks uplinks = {.rates = 0};
	const struct rated *most = uplinks.rate;
	uint32_t others = 0;

	each_port(traffic->fabric, UINT32_MAX, take_uplink, &uplinks);
	for (uint32_t i = 0; i < uplinks.rates; i++)
		most = uplinks.rate[i].count > most->count ? &uplinks.rate[i] : most;
	if (uplinks.rates == 0)
		return;
	compare_slot(traffic, most);
	for (uint32_t i = 0; i < uplinks.rates; i++)
		others += &uplinks.rate[i] == most ? 0 : uplinks.rate[i].count;
	for (uint32_t i = 0; i < uplinks.rates && others; i++) {
		const struct rated *other = &uplinks.rate[i];
		if (other == most)
			continue;
		drb_info("%s.%s has a rate of %s, most uplinks of fabric %s have %s (%" PRIu32
			 " differ)",
			 other->name, other->port.name,
			 *other->port.rate ? other->port.rate : "none", traffic->fabric,
			 *most->port.rate ? most->port.rate : "none", others);
		break;
	}
}
