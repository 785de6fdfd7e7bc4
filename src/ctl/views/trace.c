// SPDX-License-Identifier: BSD-3-Clause
// drbctl trace: finds the paths that packets between two hosts take. Every switch of the fabric
// captures these packets for a while. The result is the number of packets that left through each
// port, the kind of each decision, and the queues that the packets found.

#include "ctl/verbs.h"

#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/cli/clock.h"
#include "common/cli/interrupt.h"
#include "common/cli/log.h"

#include "ctl/capture/session.h"
#include "ctl/ctl.h"
#include "ctl/views/fabric_state.h"
#include "ctl/views/path_ends.h"

#define FILTER_MAX 512
#define EXEC_MAX 128
#define SNAP 64 // bytes of each packet; a trace does not read them

struct options {
	struct ctl ctl;
	struct path_ends ends;
	uint64_t time_ns, count; // count 0: no limit
};

// Packets that left a switch at one port by the same decision, or were dropped there for the same
// reason.
struct hop {
	const struct session *session;
	uint32_t port;
	bool dropped;
	const char *way; // from session_way()
	uint64_t packets, queue_sum;
	uint32_t queue_max;
};

struct trace {
	struct session *session; // one for each switch that captures; owned
	size_t sessions;
	struct hop *hop;
	size_t hops, room;
	uint64_t sent;        // packets that left the first switch
	struct drb_end first; // the end at the switch of the sending host
	bool first_watched;
};

static void add_addresses(char *text, size_t size, const struct path_ends *e, bool ipv6)
{
	char from[INET6_ADDRSTRLEN], to[INET6_ADDRSTRLEN];

	path_ends_address(e, e->from, ipv6, from);
	path_ends_address(e, e->to, ipv6, to);
	snprintf(text, size, "(%s src host %s and dst host %s)", ipv6 ? "ip6" : "ip", from, to);
}

// Makes a filter for the packets of the flow. Without a flow, it matches all packets of both IP
// versions between the two hosts.
static void make_filter(const struct path_ends *e, char filter[FILTER_MAX])
{
	const struct path_flow *f = &e->flow;
	char four[FILTER_MAX / 3], six[FILTER_MAX / 3];

	add_addresses(four, sizeof(four), e, false);
	add_addresses(six, sizeof(six), e, true);
	if (!f->given && !f->ipv6) {
		snprintf(filter, FILTER_MAX, "%s or %s", four, six);
		return;
	}
	size_t used = (size_t)snprintf(filter, FILTER_MAX, "%s", f->ipv6 ? six : four);
	if (f->given)
		used += (size_t)snprintf(filter + used, FILTER_MAX - used, " and %s proto %u",
					 f->ipv6 ? "ip6" : "ip", f->protocol);
	if (f->from || f->to)
		snprintf(filter + used, FILTER_MAX - used, " and src port %u and dst port %u",
			 f->from, f->to);
}

// Finds the hop of a packet, or adds it for the first packet.
static struct hop *hop_of(struct trace *t, const struct session *s,
			  const struct drb_capture_slot *p)
{
	const char *way = session_way(s, p);
	bool dropped = drb_capture_is_drop(p->kind);

	for (size_t i = 0; i < t->hops; i++) {
		struct hop *h = &t->hop[i];
		if (h->session == s && h->port == p->port && h->dropped == dropped && h->way == way)
			return h;
	}
	if (t->hops == t->room) {
		t->room = t->room ? 2 * t->room : 64;
		t->hop = realloc(t->hop, t->room * sizeof(*t->hop));
		if (!t->hop)
			drb_die("out of memory");
	}
	t->hop[t->hops] =
		(struct hop){.session = s, .port = p->port, .dropped = dropped, .way = way};
	return &t->hop[t->hops++];
}

static bool is_first(const struct trace *t, uint32_t layer, uint32_t label)
{
	return layer == t->first.layer && label == t->first.label;
}

static void count_packet(struct trace *t, const struct session *s, const struct drb_capture_slot *p)
{
	if (p->kind == DRB_CAPTURE_IN || p->port >= s->all.port_count)
		return;
	struct hop *h = hop_of(t, s, p);
	h->packets++;
	h->queue_sum += p->queue;
	h->queue_max = p->queue > h->queue_max ? p->queue : h->queue_max;
	t->sent += !h->dropped &&
		   is_first(t, (uint32_t)s->all.info.layer, (uint32_t)s->all.info.label);
}

// Counts all packets captured so far; false: there was none.
static bool take_packets(struct trace *t)
{
	struct drb_capture_slot packet;
	bool any = false;

	for (size_t i = 0; i < t->sessions; i++) {
		while (session_next(&t->session[i], &packet)) {
			count_packet(t, &t->session[i], &packet);
			any = true;
		}
	}
	return any;
}

static void trace_watch(struct trace *t, const struct options *o)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	uint64_t end = drb_clock_now() + o->time_ns;

	while (!drb_interrupted() && drb_clock_now() < end &&
	       (o->count == 0 || t->sent < o->count)) {
		if (!take_packets(t))
			nanosleep(&pause, NULL);
	}
	// Captures end from the first switch on, so that later switches still see packets in
	// flight.
	for (size_t i = 0; i < t->sessions; i++)
		session_end(&t->session[i]);
	take_packets(t);
}

// Orders hops as packets pass them: up by layers, then down.
static int by_way(const void *a, const void *b)
{
	const struct hop *x = a, *y = b;
	const struct drb_switch_info *s = &x->session->all.info, *r = &y->session->all.info;
	bool up = x->session->all.ports[x->port].name[0] == 'u';
	bool other_up = y->session->all.ports[y->port].name[0] == 'u';

	if (up != other_up)
		return up ? -1 : 1;
	if (s->layer != r->layer)
		return (s->layer < r->layer) == up ? -1 : 1;
	if (s->label != r->label)
		return s->label < r->label ? -1 : 1;
	if (x->port != y->port)
		return x->port < y->port ? -1 : 1;
	return x->packets > y->packets ? -1 : x->packets < y->packets;
}

static void print_hop(struct drb_table *rows, const struct trace *t, const struct hop *h)
{
	const struct drb_switch_all *all = &h->session->all;
	const struct drb_switch_port *p = &all->ports[h->port];
	double queue = (double)h->queue_sum / (double)h->packets;
	char way[2 * DRB_READER_TEXT_MAX];

	snprintf(way, sizeof(way), "%s%s", h->dropped ? "dropped: " : "", h->way);
	drb_table_text(rows, "switch", NULL, all->info.name);
	drb_table_text(rows, "port", NULL, p->name);
	drb_table_text(rows, "to", NULL, drb_known_text(p->peer));
	drb_table_count(rows, "packets", NULL, h->packets);
	drb_table_real(rows, "packets_percent", "% of packets", 1,
		       ctl_percent(h->packets, t->sent > h->packets ? t->sent - h->packets : 0));
	drb_table_text(rows, "way", NULL, way);
	drb_table_text(rows, "scheme", NULL,
		       p->name[0] == 'u' ? drb_known_text(all->routing.scheme) : "");
	drb_table_real(rows, "queue_packets_mean", "queue pkts, mean", 2, queue);
	drb_table_count(rows, "queue_packets_max", "max", h->queue_max);
	drb_table_row_end(rows);
}

// The number of packets that were lost because a capture ring was full.
static uint64_t lost_packets(const struct trace *t)
{
	uint64_t matched, lost, sum = 0;

	for (size_t i = 0; i < t->sessions; i++) {
		for (uint32_t p = 0; p < t->session[i].all.port_count; p++) {
			session_count(&t->session[i], p, &matched, &lost);
			sum += lost;
		}
	}
	return sum;
}

#define PROGRAM "drbfabric"

// The name by which a user calls the program that runs commands on hosts: drbfabric if it is
// installed beside this program, else topo/fabric of a checkout.
static const char *fabric_program(void)
{
	char path[PATH_MAX];
	const size_t room = sizeof(path) - sizeof(PROGRAM);
	ssize_t length = readlink("/proc/self/exe", path, room);

	path[length > 0 ? length : 0] = '\0';
	char *name = strrchr(path, '/');
	if (!name)
		return PROGRAM;
	memcpy(name + 1, PROGRAM, sizeof(PROGRAM));
	return access(path, X_OK) == 0 ? PROGRAM : "topo/fabric";
}

// The words that a user types before a command to run it on the sending host.
static void on_first_host(const struct options *o, char text[EXEC_MAX])
{
	bool usual = strcmp(o->ctl.fabric, DRB_FABRIC_DEFAULT) == 0;

	snprintf(text, EXEC_MAX, "%s exec %s%s%s%s --", fabric_program(), usual ? "" : "--fabric ",
		 usual ? "" : o->ctl.fabric, usual ? "" : " ", o->ends.host[0]);
}

static void say_none(const struct options *o)
{
	const struct path_ends *e = &o->ends;
	const char *from = e->host[0], *to = e->host[1];
	char exec[EXEC_MAX];

	on_first_host(o, exec);
	if (e->flow.ipv6)
		drb_error("no IPv6 packet from %s to %s was seen: send some during the trace, "
			  "such as %s ping -6 %s, or leave -6 out for IPv4",
			  from, to, exec, to);
	else if (e->flow.given)
		drb_error("no IPv4 packet of this flow from %s to %s was seen: programs given "
			  "the name %s send IPv6: give %s here, or for IPv4 give them -4, such "
			  "as %s ping -4 %s",
			  from, to, to, path_ends_as_ipv6(e), exec, to);
	else
		drb_error("no IPv4 or IPv6 packet from %s to %s was seen: send some during the "
			  "trace, such as %s ping %s",
			  from, to, exec, to);
}

static int trace_print(struct trace *t, const struct options *o)
{
	struct drb_table *rows = drb_table_new(stdout, o->ctl.format);
	uint64_t lost = lost_packets(t);

	if (t->hops)
		qsort(t->hop, t->hops, sizeof(*t->hop), by_way);
	for (size_t i = 0; i < t->hops; i++)
		print_hop(rows, t, &t->hop[i]);
	drb_table_end(rows);
	if (lost)
		drb_warn("%" PRIu64
			 " packets came faster than they could be read and are not counted",
			 lost);
	if (t->hops)
		return DRB_EXIT_OK;
	say_none(o);
	return DRB_EXIT_FAILED;
}

// Starts a capture at every switch of the fabric; false: it failed at one of them.
static bool open_sessions(struct trace *t, const struct options *o)
{
	struct drb_switch_socket *at;
	struct bpf_program program;
	char filter[FILTER_MAX], first[DRB_NAME_MAX];
	size_t count;
	bool all = true, found = false;

	make_filter(&o->ends, filter);
	session_compile(filter, &program);
	const struct session_filter wanted = {NULL, SNAP, &program};
	if (drb_telemetry_scan(o->ctl.runtime, o->ctl.fabric, &at, &count) < 0 ||
	    !(t->session = calloc(count + 1, sizeof(*t->session))))
		drb_die("out of memory");
	for (size_t i = 0; i < count; i++) {
		struct session *s = &t->session[t->sessions];
		bool open = session_open(s, at[i].path, o->ctl.timeout_ms, &wanted) == 0;
		found |= is_first(t, at[i].layer, at[i].label);
		t->sessions += open;
		t->first_watched |= open && is_first(t, at[i].layer, at[i].label);
		all &= open;
	}
	free(at);
	pcap_freecode(&program);
	if (!found) {
		drb_instance_name(first, o->ctl.fabric, t->first.layer, t->first.label);
		ctl_say_none(&o->ctl, first);
	}
	return all;
}

static int trace(const struct options *o, const struct drb_tree *tree)
{
	struct trace t = {.first = drb_tree_host_peer(tree, o->ends.from)};
	bool whole = open_sessions(&t, o);
	int code = DRB_EXIT_FAILED;

	if (t.first_watched) { // otherwise the total is unknown, and so are all shares of it
		trace_watch(&t, o);
		code = trace_print(&t, o);
	}
	for (size_t i = 0; i < t.sessions; i++)
		session_close(&t.session[i]);
	free(t.session);
	free(t.hop);
	return whole ? code : DRB_EXIT_FAILED;
}

static const struct drb_option option_table[] = {
	{"--time", "TIME", "How long to watch (default 2s)", .kind = DRB_OPTION_TIME,
	 offsetof(struct options, time_ns), 1e6, 3600e9, .letter = 't'},
	{"--count", "N", "End after N packets have left their first switch", .kind = DRB_OPTION_U64,
	 offsetof(struct options, count), 1, .letter = 'c'},
	{0},
};

int ctl_trace(int argc, char **argv)
{
	struct options o = {.ctl = ctl_defaults(), .time_ns = 2000000000};
	const struct drb_options sets[] = {
		{.option = option_table, &o}, PATH_ENDS_SET(&o.ends), CTL_TABLE_SETS(&o.ctl), {0}};
	struct fabric_state fabric;

	drb_options_parse(
		sets,
		"Watches packets from host FROM to host TO at every switch. Prints hop by hop "
		"through which ports how many packets left, how the switch decided, and the "
		"queue that they found, including themselves. FLOW is "
		"PROTOCOL:FROM-PORT:TO-PORT, such as tcp:40000:5201, or a protocol without "
		"ports. Sends nothing; drbctl path works without packets. Exit status 1 if no "
		"packet was seen or a switch could not be watched.",
		argc, argv);
	o.ctl.fabric = o.ctl.fabric ? o.ctl.fabric : DRB_FABRIC_DEFAULT;
	fabric_state_read(&fabric, &o.ctl);
	const struct drb_tree tree = fabric.tree;
	fabric_state_free(&fabric);
	if (tree.layers == 0)
		return DRB_EXIT_FAILED;
	path_ends_resolve(&o.ends, &tree);
	drb_interrupt_catch(SA_RESTART | SA_RESETHAND);
	return trace(&o, &tree);
}
