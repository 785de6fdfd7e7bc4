// SPDX-License-Identifier: BSD-3-Clause
#include "gen/replay/foreign.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/fabric/names.h"

#include "common/cli/log.h"
#include "gen/captures/foreign.h"
#include "gen/captures/recognise.h"
#include "gen/replay/foreign_report.h"
#include "gen/replay/hosts.h"
#include "gen/replay/run.h"

#define FILTER_MAX 96
#define MAPPED_SHOWN 16 // addresses whose hosts are printed

// One replay of captures: what the callbacks of the run work on.
struct foreign {
	struct drb_addr_plan plan;
	char **paths;
	uint32_t count;
	const struct schedule *schedule;
	struct trace trace;
	struct foreign_skipped skipped;
	struct host_rules rules;
	struct addrmap *map;
	struct silence *silence; // NULL: stacks of hosts may answer
	struct recogniser *recogniser;
	struct recognised *by_host;
};

static struct drb_addr_plan make_plan(const struct replay_options *o)
{
	uint32_t hosts = hosts_count(o->fabric);

	if (hosts < 2)
		drb_die("fabric %s: no hosts: /run/netns/%s-h0 and -h1 are not there; bring it up "
			"first",
			o->fabric, o->fabric);
	struct drb_addr_plan plan = drb_addr_default(hosts);
	if (drb_addr_set_mac(&plan, o->mac) < 0)
		drb_die("--mac %s: must be two bytes like 02:00", o->mac);
	if (drb_addr_set_ipv4(&plan, o->ipv4) < 0)
		drb_die("--ipv4 %s: must be a network like 10.0.0.0/8", o->ipv4);
	if (drb_addr_set_ipv6(&plan, o->ipv6) < 0)
		drb_die("--ipv6 %s: must be a network like fd00::/64", o->ipv6);
	if (!drb_addr_fits(&plan))
		drb_die("%" PRIu32 " hosts do not fit into %s and %s", hosts, o->ipv4, o->ipv6);
	return plan;
}

// The first moment when it is known what will be sent: the MTU was found out.
static int check(struct trace *t, uint32_t mtu, void *context)
{
	struct foreign *f = context;
	foreign_fit(t, mtu, &f->skipped);
	if (t->count == 0) {
		char others[32] = "";
		if (f->count > 1)
			snprintf(others, sizeof(others), " and %u more", f->count - 1);
		drb_error("%s%s: there is no packet to send: of %" PRIu64
			  ", " FOREIGN_SKIPPED_FORMAT,
			  f->paths[0], others, foreign_skipped_count(&f->skipped),
			  FOREIGN_SKIPPED_ARGUMENTS(f->skipped));
		return -ENODATA;
	}
	f->recogniser = recogniser_new(t, &f->plan, schedule_count(f->schedule, t));
	if (!f->recogniser) {
		drb_error("out of memory");
		return -ENOMEM;
	}
	return 0;
}

static void recognise_arrival(void *context, const struct arrival *a)
{
	struct foreign *f = context;

	recogniser_frame(f->recogniser, a);
}

static uint64_t arrived(const void *context)
{
	return recogniser_arrived(((const struct foreign *)context)->recogniser);
}

static void result(void *context, struct tally *tally, struct drb_latency *latency)
{
	struct foreign *f = context;

	recogniser_result(f->recogniser, f->by_host, tally);
	*latency = recogniser_latency(f->recogniser);
}

static struct moments *sendings(void *context)
{
	return recogniser_sendings(((struct foreign *)context)->recogniser);
}

static int replay(const struct replay_options *o, struct foreign *f)
{
	char filter[FILTER_MAX];
	unsigned prefix = (unsigned)f->plan.mac[0] << 8 | f->plan.mac[1];
	// From host to host, whoever the hosts are: others are told apart later.
	snprintf(filter, sizeof(filter), "ether[0:2] = 0x%04x and ether[6:2] = 0x%04x", prefix,
		 prefix);
	const struct sink_pcap_setup setup = {
		.hosts = f->plan.hosts,
		.interface = DRB_HOST_INTERFACE,
		.filter = filter,
		.snaplen = RECOGNISE_BYTES,
		.buffer_bytes = replay_buffer_bytes(o, f->plan.hosts),
		.scorer = {f, recognise_arrival, arrived, result},
	};
	struct replay r = {.fabric = o->fabric,
			   .plan = &f->plan,
			   .trace = &f->trace,
			   .schedule = o->schedule,
			   .silence = f->silence,
			   .drain_ns = o->drain_ns,
			   .sink = sink_pcap_new(&setup),
			   .check = check,
			   .sendings = sendings,
			   .context = f};
	struct replay_result outcome;
	if (!r.sink) {
		drb_error("out of memory or file descriptors");
		return DRB_EXIT_USAGE;
	}
	int code = DRB_EXIT_USAGE;
	if (replay_run(&r, &outcome) == 0) {
		for (uint32_t h = 0; h < f->plan.hosts; h++)
			f->by_host[h].receiver_dropped = r.sink->ops->dropped(r.sink, h);
		const struct foreign_report report = {.hosts = f->plan.hosts,
						      .by_host = f->by_host,
						      .skipped = &f->skipped,
						      .run = &outcome};
		code = foreign_report_print(&report, o->format) ? DRB_EXIT_OK : DRB_EXIT_FAILED;
	}
	r.sink->ops->destroy(r.sink);
	return code;
}

// Who plays whom, where only the hash says so.
static void print_hashed(const struct addrmap *map)
{
	const struct ipframe_address *a;
	uint32_t i = 0, host;

	for (; (a = addrmap_hashed(map, i, &host)); i++) {
		char text[INET6_ADDRSTRLEN];
		if (i == 0)
			drb_info("addresses that are not of the fabric get hosts by hash (--map "
				 "FILE decides otherwise):");
		if (i < MAPPED_SHOWN)
			drb_info("  %s h%u",
				 inet_ntop(a->size == 4 ? AF_INET : AF_INET6, a->bytes, text,
					   sizeof(text)),
				 host);
	}
	if (i > MAPPED_SHOWN)
		drb_info("  and %u more", i - MAPPED_SHOWN);
}

int replay_foreign(const struct replay_options *o)
{
	struct foreign f = {.paths = o->paths, .count = o->count, .schedule = &o->schedule};
	int code = DRB_EXIT_USAGE;

	for (uint32_t i = 0; i < o->count; i++) {
		if (trace_load(&f.trace, o->paths[i]) < 0)
			goto out;
	}
	f.rules.plan = f.plan = make_plan(o);
	if (o->map && host_rules_load(&f.rules, o->map) < 0)
		goto out;
	f.by_host = calloc(f.plan.hosts, sizeof(*f.by_host));
	if (!f.by_host || foreign_map(&f.trace, &f.rules, o->seed, &f.skipped, &f.map) < 0) {
		drb_error("out of memory");
		goto out;
	}
	if (!o->to_stack && !(f.silence = silence_new(&f.trace, &f.plan))) {
		drb_error("out of memory");
		goto out;
	}
	print_hashed(f.map);
	code = replay(o, &f);
out:
	silence_free(f.silence);
	recogniser_free(f.recogniser);
	addrmap_free(f.map);
	host_rules_free(&f.rules);
	free(f.by_host);
	trace_free(&f.trace);
	return code;
}
