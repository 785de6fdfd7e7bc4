// SPDX-License-Identifier: BSD-3-Clause
#include "gen/replay/measured.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/fabric/names.h"
#include "core/packet/measured_packet.h"

#include "common/cli/file.h"
#include "common/cli/log.h"
#include "common/cli/text.h"
#include "gen/replay/host_networks.h"
#include "gen/replay/hosts.h"
#include "gen/replay/link_time.h"
#include "gen/replay/load_measured.h"
#include "gen/replay/run.h"
#include "gen/replay/records.h"
#include "gen/replay/report.h"

#define SNAPLEN 128 // all headers, and the part of the payload that counts
#define STRING(x) STRING_(x)
#define STRING_(x) #x

// Selects the slots whose packets are in the latencies: [*first, *end).
static void select_cohorts(const struct replay_options *o, const struct manifest *m,
			   uint32_t *first, uint32_t *end)
{
	uint64_t from = 0, to = m->slots;

	if (o->warmup != REPLAY_ABSENT)
		from = o->warmup;
	else if (o->stats != REPLAY_ABSENT && o->stats <= m->slots)
		from = m->slots - o->stats;
	if (from >= to)
		drb_die("--warmup %" PRIu64 ": the traffic has %" PRIu32 " slots", from, m->slots);
	if (o->stats != REPLAY_ABSENT && o->stats > m->slots - from)
		drb_die("--stats %" PRIu64 ": the traffic has %" PRIu64 " slots%s", o->stats,
			m->slots - from, from > 0 ? " after --warmup" : "");
	if (o->stats != REPLAY_ABSENT)
		to = from + o->stats;
	*first = (uint32_t)from;
	*end = (uint32_t)to;
}

static void score_arrival(void *context, const struct arrival *a)
{
	score_frame(context, a->host, a->frame, a->captured, a->rx_ns);
}

static uint64_t delivered(const void *context)
{
	return score_delivered(context);
}

static void measured_result(void *context, struct tally *tally, struct drb_latency *latency)
{
	score_result(context, tally, latency);
}

// All packets of written traffic have the same length.
static int frames_check(struct trace *t, uint32_t mtu, void *context)
{
	(void)context;
	if (t->count == 0 || t->packet[0].size <= DRB_ETHER_HEADER + mtu)
		return 0;
	drb_error("frames of %" PRIu32 " bytes need an MTU of %" PRIu32
		  ", and that of a host is %" PRIu32
		  ": bring the fabric up with --mtu, or write with --size %" PRIu32,
		  t->packet[0].size, t->packet[0].size - DRB_ETHER_HEADER, mtu,
		  DRB_ETHER_HEADER + mtu);
	return -EMSGSIZE;
}

static int measured_begin(void *context, uint64_t start_ns, uint64_t shift_ns)
{
	score_clock(context, shift_ns);
	int rc = score_ready(context, start_ns);

	if (rc < 0)
		drb_error("out of memory");
	return rc;
}

static int measured_print(const struct replay_options *o, const struct manifest *m,
			  uint64_t slot_ns, uint64_t awaited, const struct replay_result *result)
{
	double hosts = o->part ? o->end_host - o->first_host : m->tree.hosts;
	// From the first to the last delivery, both slots included.
	double slots =
		(double)(result->tally.last_ns - result->tally.first_ns) / (double)slot_ns + 1;
	struct report report = {
		.awaited = o->part ? awaited : result->sent,
		.sent = result->sent,
		.failed = result->failed,
		.tally = result->tally,
		.latency = result->latency,
		.slot_ns = slot_ns,
		.offered_load = (double)m->packets / m->tree.hosts / m->slots,
		.achieved_load = (double)result->tally.delivered / hosts / slots,
		.late = result->late,
		.late_mean_ns = result->late_mean_ns,
		.late_max_ns = result->late_max_ns,
		.links = &result->links,
	};

	report_measured(&report, replay_report_file(o), o->format);
	if (report.tally.strangers)
		drb_info("%" PRIu64 " packets of other runs arrived and were left out",
			 report.tally.strangers);
	if (report.late)
		drb_warn("the generator woke too late: %" PRIu64 " of %" PRIu64
			 " packets left more than half a slot late, all of them by %.0f us on "
			 "average and %.0f us at most; use longer slots or a less busy machine",
			 report.late, report.sent, report.late_mean_ns / 1e3,
			 report.late_max_ns / 1e3);
	link_report_say(&result->links, report_lost(&report), report_latency_ns(&report));
	if (report.tally.backwards)
		drb_error("%" PRIu64 " packets arrived before they left: the kernel's clock is not "
			  "that of drbgen, as in a time namespace: they have no latency; --sink "
			  "pcap has one clock",
			  report.tally.backwards);
	if (report.tally.receiver_dropped)
		drb_error("%" PRIu64 " packets arrived, but the receiver's buffer was full: they "
			  "count neither as lost nor in the latencies; see --buffer",
			  report.tally.receiver_dropped);
	return report_clean(&report) && !result->interrupted ? DRB_EXIT_OK : DRB_EXIT_FAILED;
}

static struct sink *new_pcap(const struct replay_options *o, const struct manifest *m,
			     struct score *s)
{
	const struct sink_pcap_setup setup = {
		.hosts = m->tree.hosts,
		.interface = DRB_HOST_INTERFACE,
		.filter = "udp dst port " STRING(DRB_MEASURED_UDP_PORT),
		.snaplen = SNAPLEN,
		.buffer_bytes = replay_buffer_bytes(o, m->tree.hosts),
		.scorer = {s, score_arrival, delivered, measured_result},
	};
	struct sink *sink = sink_pcap_new(&setup);

	if (!sink)
		drb_error("out of memory or file descriptors");
	return sink;
}

// Returns the sink that the user asked for, by default the sink inside the kernel if the kernel
// allows it. NULL after a message.
static struct sink *new_sink(const struct replay_options *o, const struct manifest *m,
			     struct score *s)
{
	const struct sink_xdp_setup setup = {
		.plan = &m->plan, .score = s, .interface = DRB_HOST_INTERFACE};
	struct sink *sink;

	if (o->sink == REPLAY_SINK_PCAP)
		return new_pcap(o, m, s);
	int rc = sink_xdp_new(&setup, &sink);
	if (rc == 0)
		return sink;
	if (o->sink == REPLAY_SINK_AUTO)
		return new_pcap(o, m, s);
	drb_error("--sink xdp: %s; --sink pcap works without BPF",
		  rc == -ENOTSUP ? "built without libbpf or clang (meson option bpf)"
		  : rc == -EPERM ? "the kernel allows it to root outside user namespaces only"
				 : strerror(-rc));
	return NULL;
}

// Refuses traffic for other networks than the fabric's, whose switches would drop it.
static void check_networks(const struct replay_options *o, const struct manifest *m)
{
	struct drb_addr_plan plan = m->plan;
	struct host_networks is;
	char again[160] = "";

	if (host_networks_read(o->fabric, o->first_host, &is) < 0)
		exit(DRB_EXIT_USAGE);
	if (drb_addr_set_mac(&plan, is.mac) == 0 && memcmp(plan.mac, m->plan.mac, 2) != 0)
		drb_text_add(again, sizeof(again), " --mac %s", is.mac);
	if (drb_addr_set_ipv4(&plan, is.ipv4) == 0 &&
	    (plan.ipv4 != m->plan.ipv4 || plan.ipv4_len != m->plan.ipv4_len))
		drb_text_add(again, sizeof(again), " --ipv4 %s", is.ipv4);
	if (drb_addr_set_ipv6(&plan, is.ipv6) == 0 &&
	    (memcmp(plan.ipv6, m->plan.ipv6, 16) != 0 || plan.ipv6_len != m->plan.ipv6_len))
		drb_text_add(again, sizeof(again), " --ipv6 %s", is.ipv6);
	if (*again)
		drb_die("%s was written for hosts in %s, %s and %s, unlike those of fabric %s: "
			"write it again with%s",
			o->captures.at[0], m->mac, m->ipv4, m->ipv6, o->fabric, again);
}

// An interrupted run leaves packets at the end of the trace unsent, which are not lost.
static void withdraw_unsent(const struct replay_result *result, const struct manifest *m,
			    const struct trace *t, struct score *s)
{
	for (size_t i = result->interrupted ? t->count : 0; i-- > 0 && t->packet[i].sent == 0;) {
		struct frame_probe probe = {0};
		frame_parse(t->packet[i].frame, t->packet[i].size, &m->plan, &probe);
		score_withdraw(s, probe.src, probe.dst, probe.sequence);
	}
}

static int replay(const struct replay_options *o, const struct manifest *m, struct trace *t,
		  struct score *s)
{
	uint64_t slot_ns = o->slot_ns != REPLAY_ABSENT ? o->slot_ns : m->slot_ns;

	if (m->slots >= MANIFEST_RUN_NS_MAX / slot_ns)
		drb_die("%s: %" PRIu32 " slots of this length are too long a run",
			o->captures.at[0], m->slots);
	if (measured_load(o->captures.at[0], m, slot_ns, t, s) < 0)
		return DRB_EXIT_USAGE;
	check_networks(o, m);
	uint64_t awaited = 0;
	if (o->part) {
		awaited = measured_part(t, m, o->first_host, o->end_host);
		score_part(s, o->first_host, o->end_host);
	}
	link_time_compare(&(struct link_time_traffic){o->fabric, slot_ns, m->size});
	struct replay r = {
		.fabric = o->fabric,
		.plan = &m->plan,
		.first_host = o->first_host,
		.end_host = o->end_host,
		.begin_ns = o->begin_ns == REPLAY_ABSENT ? 0 : o->begin_ns,
		.awaited = awaited,
		.trace = t,
		.schedule = {.mode = SCHEDULE_TIMES, .multiplier = 1, .loops = 1},
		.measured = true,
		.align_ns = slot_ns, // slots of slotted links have the same alignment
		.late_ns = slot_ns / 2,
		.drain_ns = o->drain_ns,
		.measured_slots = {.slot_ns = slot_ns},
		.lasting = drb_growth_lasting(&m->pattern),
		.sink = new_sink(o, m, s),
		.check = frames_check,
		.context = s,
		.begin = measured_begin,
	};
	struct replay_result outcome;
	if (!r.sink)
		return DRB_EXIT_USAGE;
	select_cohorts(o, m, &r.measured_slots.first, &r.measured_slots.end);
	FILE *records = replay_file(o->records);
	FILE *hgrm = replay_file(o->hgrm);
	r.links = replay_file(o->links);
	int rc = replay_run(&r, &outcome);
	r.sink->ops->destroy(r.sink);
	if (rc < 0)
		return DRB_EXIT_USAGE;
	int code = measured_print(o, m, slot_ns, awaited, &outcome);
	withdraw_unsent(&outcome, m, t, s);
	if (records)
		records_write(records, s);
	if (hgrm && records_write_latencies(hgrm, s) < 0)
		drb_die("out of memory");
	if (drb_file_written(records, o->records) | drb_file_written(hgrm, o->hgrm) |
	    drb_file_written(r.links, o->links))
		return DRB_EXIT_FAILED;
	return code;
}

int replay_measured(const struct replay_options *o)
{
	const char *dir = o->captures.at[0];
	struct manifest m;
	struct trace t = {0};
	uint32_t first, end;

	if (manifest_load(dir, &m) < 0)
		return DRB_EXIT_USAGE;
	uint32_t there = hosts_count(o->fabric);
	if (o->part && o->end_host > m.tree.hosts)
		drb_die("--hosts: the last host of %s is h%u", dir, m.tree.hosts - 1);
	if (!o->part && there > 0 && there != m.tree.hosts)
		drb_die("%s: traffic of F(%u,%u), %u hosts, but fabric %s has %u", dir, m.layers,
			m.arity, m.tree.hosts, o->fabric, there);
	select_cohorts(o, &m, &first, &end);
	struct score *s = score_new(&m.plan, first, end);
	if (!s)
		drb_die("out of memory");
	int code = replay(o, &m, &t, s);
	score_free(s);
	trace_free(&t);
	return code;
}
