// SPDX-License-Identifier: BSD-3-Clause
#include "gen/replay/foreign.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/fabric/names.h"

#include "common/cli/file.h"
#include "common/cli/log.h"
#include "gen/captures/foreign.h"
#include "gen/captures/recognise.h"
#include "gen/replay/flow_report.h"
#include "gen/replay/foreign_report.h"
#include "gen/replay/host_networks.h"
#include "gen/replay/hosts.h"
#include "gen/replay/pace.h"
#include "gen/replay/run.h"

#define FILTER_MAX 96
#define MAPPED_SHOWN 16 // addresses whose hosts are printed

// One replay of captures, the context of the run's callbacks.
struct foreign {
	const struct replay_options *o;
	struct drb_addr_plan plan;
	struct replay run;
	struct trace trace;
	struct foreign_traffic traffic;
	struct host_rules rules;
	struct silence *silence; // NULL: stacks of hosts may answer
	struct recogniser *recogniser;
	struct recognised *by_host;
	struct drop_places places;
	uint64_t cut; // packets that the captures have only in part
};

// The network in the option, or else the network of the fabric; NULL: neither is known.
static const char *chosen(const char *option, const char *is)
{
	return option ? option : *is ? is : NULL;
}

// Compares the options with the addresses of the fabric, "" if they are not known. Only interfaces
// decide about the MAC, but switches may take other IP addresses, too.
static void check_options(const struct replay_options *o, const struct drb_addr_plan *plan,
			  const struct host_networks *is)
{
	const struct drb_addr_texts to = drb_addr_texts(plan);

	if (o->mac && *is->mac && strcmp(to.mac, is->mac) != 0)
		drb_die("--mac %s: hosts of fabric %s are in %s: leave --mac out", o->mac,
			o->fabric, is->mac);
	if ((o->ipv4 && *is->ipv4 && strcmp(to.ipv4, is->ipv4) != 0) ||
	    (o->ipv6 && *is->ipv6 && strcmp(to.ipv6, is->ipv6) != 0))
		drb_warn("hosts of fabric %s are in %s and %s: its switches drop packets of other "
			 "addresses (spoofed_ip), unless routing.check_source is mac: leave --ipv4 "
			 "and --ipv6 out",
			 o->fabric, is->ipv4, is->ipv6);
}

static struct drb_addr_plan make_plan(const struct replay_options *o)
{
	uint32_t hosts = hosts_count(o->fabric);

	if (hosts < 2)
		drb_die("fabric %s: no hosts: /run/netns/%s-h0 and -h1 are not there; bring it up "
			"first",
			o->fabric, o->fabric);
	struct drb_addr_plan plan = drb_addr_default(hosts);
	struct host_networks is;
	if (host_networks_read(o->fabric, 0, &is) < 0)
		exit(DRB_EXIT_USAGE);
	const char *mac = chosen(o->mac, is.mac), *ipv4 = chosen(o->ipv4, is.ipv4),
		   *ipv6 = chosen(o->ipv6, is.ipv6);
	if (mac && drb_addr_set_mac(&plan, mac) < 0)
		drb_die("--mac %s: must be two bytes like 02:00", mac);
	if (ipv4 && drb_addr_set_ipv4(&plan, ipv4) < 0)
		drb_die("--ipv4 %s: hosts need " DRB_ADDR_IPV4_FORM, ipv4);
	if (ipv6 && drb_addr_set_ipv6(&plan, ipv6) < 0)
		drb_die("--ipv6 %s: hosts need " DRB_ADDR_IPV6_FORM, ipv6);
	check_options(o, &plan, &is);
	if (!drb_addr_fits(&plan))
		drb_die("%" PRIu32 " hosts do not fit into %s and %s", hosts,
			ipv4 ? ipv4 : "10.0.0.0/8", ipv6 ? ipv6 : "fd00::/64");
	return plan;
}

// Reports how the replay differs from the captures, such as truncated frames and packets in another
// order than in the files.
static void say_changes(struct foreign *f)
{
	uint64_t portless = 0;
	char ports[128] = "";

	for (size_t i = 0; i < f->trace.count; i++) {
		f->cut += f->trace.packet[i].cut != TRACE_WHOLE;
		portless += f->trace.packet[i].cut == TRACE_CUT_PORTS;
	}
	if (portless)
		snprintf(ports, sizeof(ports),
			 "; %" PRIu64
			 " are without their ports, so schemes by flow see other flows",
			 portless);
	if (f->cut)
		drb_warn("%" PRIu64
			 " packets were truncated by the capture: the rest is sent as zeros, "
			 "with wrong checksums%s%s; capture whole packets (tcpdump -s 0)",
			 f->cut, f->o->to_stack ? ", so hosts' kernels drop them" : "", ports);
	if (f->trace.fcs)
		drb_info("%" PRIu64 " packets have their frame check sequence in the capture: "
			 "the last 4 bytes are left out, as a network card adds them",
			 f->trace.fcs);
	if (f->trace.disordered)
		drb_info("%" PRIu64 " packets are older than packets before them in their "
			 "capture: all are sent in the order of their times",
			 f->trace.disordered);
	if (f->traffic.twice)
		drb_warn("%" PRIu64 " packets are in the captures at two places, as when both ends "
			 "are captured, and are sent as often: give one of the captures, or take "
			 "them out (editcap -w 0.01 FILE NEW)",
			 f->traffic.twice);
	if (foreign_skipped_count(&f->traffic.skipped)) {
		char text[FOREIGN_SKIPPED_TEXT];
		foreign_skipped_text(&f->traffic.skipped, text);
		drb_info("%" PRIu64 " packets of the capture are not sent: %s",
			 foreign_skipped_count(&f->traffic.skipped), text);
	}
}

// Sets the speed for --load by the rates of hosts' links. rated: number of links with a rate; a
// negative errno if no switch answers.
static int set_load(struct foreign *f, const struct trace *t, const struct host_link link[],
		    int rated)
{
	const char *fabric = f->o->fabric;

	if (rated > 0)
		return pace_load(&f->run.schedule, t, &f->plan, link, f->o->load);
	if (rated < 0)
		drb_error("--load: no switch of fabric %s reports the rate of its links", fabric);
	else
		drb_error(
			"--load: links of fabric %s have no rate: topo/fabric up --rate, or --pps",
			fabric);
	return -ENOTSUP;
}

// Sets the speed and the times of the packets.
static int set_pace(struct foreign *f, struct trace *t)
{
	struct host_link *link = calloc(f->plan.hosts, sizeof(*link));
	int rc = 0;

	if (!link) {
		drb_error("out of memory");
		return -ENOMEM;
	}
	int rated = link_time_of_hosts(f->o->fabric, f->plan.hosts, link);
	if (f->o->load > 0)
		rc = set_load(f, t, link, rated);
	if (rc == 0)
		rc = pace_by_links(&f->run.schedule, t, link, f->plan.hosts);
	free(link);
	return rc;
}

// Called when the MTU is known, because the packets that will be sent depend on it.
static int check(struct trace *t, uint32_t mtu, void *context)
{
	struct foreign *f = context;
	struct schedule *schedule = &f->run.schedule;

	foreign_fit(t, mtu, &f->traffic.skipped);
	if (t->count == 0) {
		char others[32] = "", text[FOREIGN_SKIPPED_TEXT];
		if (f->o->captures.count > 1)
			snprintf(others, sizeof(others), " and %u more", f->o->captures.count - 1);
		foreign_skipped_text(&f->traffic.skipped, text);
		drb_error("%s%s: there is no packet to send%s%s",
			  drb_file_name(f->o->captures.at[0]), others, *text ? ": " : "", text);
		return -ENODATA;
	}
	if (f->o->max_gap_ns)
		pace_shorten(t, f->o->max_gap_ns);
	int rc = set_pace(f, t);
	if (rc < 0)
		return rc;
	say_changes(f);
	pace_warn(schedule, t, f->o->captures.at);
	f->recogniser = recogniser_new(t, &f->plan, schedule_count(schedule, t));
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

	recogniser_result(f->recogniser, f->by_host, &f->traffic.flows, tally);
	*latency = recogniser_latency(f->recogniser, &f->traffic.flows);
}

static struct moments *sendings(void *context)
{
	return recogniser_sendings(((struct foreign *)context)->recogniser);
}

// Files for the fate of each packet and flow.
struct outputs {
	FILE *records, *hgrm, *flows;
};

static int write_files(const struct foreign *f, const struct outputs *to)
{
	const struct flow_records records = {&f->trace, &f->traffic.flows, f->recogniser,
					     f->o->captures.at};

	if (to->flows)
		flow_report_print(to->flows, DRB_FORMAT_CSV, &f->traffic.flows, &f->places,
				  SIZE_MAX);
	if (to->records)
		flow_records_write(to->records, &records);
	if (to->hgrm && flow_records_write_hgrm(to->hgrm, &records) < 0)
		drb_die("out of memory");
	return drb_file_written(to->flows, f->o->flow_records) |
	       drb_file_written(to->records, f->o->records) |
	       drb_file_written(to->hgrm, f->o->hgrm) | drb_file_written(f->run.links, f->o->links);
}

static int report(struct foreign *f, const struct replay_result *outcome, const char *busiest)
{
	const struct replay_options *o = f->o;

	if (recogniser_sendings(f->recogniser)->end_ns != UINT64_MAX)
		drb_warn("latencies and --records have the first %zu packets that were sent, and "
			 "no others: replay a part of the capture at a time (editcap -c), or "
			 "--loop less",
			 MOMENTS_MAX);
	for (uint32_t h = 0; h < f->plan.hosts; h++)
		f->by_host[h].receiver_dropped = f->run.sink->ops->dropped(f->run.sink, h);
	const struct foreign_report r = {.hosts = f->plan.hosts,
					 .by_host = f->by_host,
					 .traffic = &f->traffic,
					 .places = &f->places,
					 .cut = f->cut,
					 .busiest = busiest,
					 .run = outcome,
					 .out = replay_report_file(o)};
	return foreign_report_print(&r, o->format) ? DRB_EXIT_OK : DRB_EXIT_FAILED;
}

static int replay(const struct replay_options *o, struct foreign *f)
{
	char filter[FILTER_MAX];
	unsigned prefix = (unsigned)f->plan.mac[0] << 8 | f->plan.mac[1];
	// The filter selects packets between any hosts of the fabric. The recogniser sorts out
	// packets of other traffic.
	snprintf(filter, sizeof(filter), "ether[0:2] = 0x%04x and ether[6:2] = 0x%04x", prefix,
		 prefix);
	const struct sink_pcap_setup setup = {
		.hosts = f->plan.hosts,
		.interface = DRB_HOST_INTERFACE,
		.filter = filter,
		.snaplen = TRACE_PRINT_BYTES,
		.buffer_bytes = replay_buffer_bytes(o, f->plan.hosts),
		.scorer = {f, recognise_arrival, arrived, result},
	};
	struct replay *r = &f->run;
	*r = (struct replay){.fabric = o->fabric,
			     .plan = &f->plan,
			     .trace = &f->trace,
			     .schedule = o->schedule,
			     .silence = f->silence,
			     .drain_ns = o->drain_ns,
			     .sink = sink_pcap_new(&setup),
			     .places = &f->places,
			     .check = check,
			     .sendings = sendings,
			     .context = f};
	struct replay_result outcome;
	if (!r->sink) {
		drb_error("out of memory or file descriptors");
		return DRB_EXIT_USAGE;
	}
	// Files are opened before the run, so that an error in a name does not cost the run.
	const struct outputs to = {replay_file(o->records), replay_file(o->hgrm),
				   replay_file(o->flow_records)};
	r->links = replay_file(o->links);
	char *busiest = NULL;
	size_t size;
	int code = DRB_EXIT_USAGE;
	if (!(r->busiest = open_memstream(&busiest, &size))) {
		drb_error("out of memory");
	} else if (replay_run(r, &outcome) == 0) {
		fflush(r->busiest);
		code = report(f, &outcome, busiest);
		if (write_files(f, &to) != DRB_EXIT_OK)
			code = DRB_EXIT_FAILED;
	}
	if (r->busiest)
		fclose(r->busiest);
	free(busiest);
	r->sink->ops->destroy(r->sink);
	return code;
}

// Prints the hosts of addresses that only the hash assigned.
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
	if (i > 0 && addrmap_shared(map) > 0)
		drb_info("%u addresses share hosts with others, so links to these hosts carry "
			 "more than in the capture: take a larger fabric, or --map",
			 addrmap_shared(map));
}

int replay_foreign(const struct replay_options *o)
{
	struct foreign f = {.o = o};
	int code = DRB_EXIT_USAGE;

	for (uint32_t i = 0; i < o->captures.count; i++) {
		if (trace_load(&f.trace, o->captures.at[i], false) < 0)
			goto out;
	}
	f.rules.plan = f.plan = make_plan(o);
	if (o->map && host_rules_load(&f.rules, o->map) < 0)
		goto out;
	f.by_host = calloc(f.plan.hosts, sizeof(*f.by_host));
	if (!f.by_host || foreign_map(&f.trace, &f.rules, o->seed, &f.traffic) < 0) {
		drb_error("out of memory");
		goto out;
	}
	if (!o->to_stack && !(f.silence = silence_new(&f.trace, &f.plan))) {
		drb_error("out of memory");
		goto out;
	}
	host_rules_warn_unused(&f.rules, o->map);
	print_hashed(f.traffic.map);
	code = replay(o, &f);
out:
	drop_places_free(&f.places);
	silence_free(f.silence);
	recogniser_free(f.recogniser);
	foreign_free(&f.traffic);
	host_rules_free(&f.rules);
	free(f.by_host);
	trace_free(&f.trace);
	return code;
}
