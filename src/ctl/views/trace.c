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
#include "ctl/views/hops.h"
#include "ctl/views/path_ends.h"

#define FILTER_MAX 512
#define EXEC_MAX 128
#define SNAP 64 // bytes of each packet; a trace does not read them

struct options {
	struct ctl ctl;
	struct path_ends ends;
	uint64_t time_ns, count; // count 0: no limit
};

struct trace {
	const struct metrics_poll *poll; // of the fabric, before the captures begin
	struct session *session;         // one for each switch that captures; owned
	size_t sessions;
	struct hops hops;
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

static bool is_first(const struct trace *t, uint32_t layer, uint32_t label)
{
	return layer == t->first.layer && label == t->first.label;
}

static void count_packet(struct trace *t, const struct session *s, const struct drb_capture_slot *p)
{
	if (p->kind == DRB_CAPTURE_IN || p->port >= s->all.port_count)
		return;
	hops_count(&t->hops, s, p);
	t->sent += !drb_capture_is_drop(p->kind) &&
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

	hops_print(&t->hops, rows, t->sent);
	drb_table_end(rows);
	if (lost)
		drb_warn("%" PRIu64
			 " packets came faster than they could be read and are not counted",
			 lost);
	if (t->hops.count)
		return DRB_EXIT_OK;
	say_none(o);
	return DRB_EXIT_FAILED;
}

// Returns the result of the poll for the switch at this place; NULL: there is none.
static const struct metrics_switch *polled_at(const struct trace *t, uint32_t layer, uint32_t label)
{
	for (size_t i = 0; i < t->poll->count; i++) {
		const struct metrics_switch *s = &t->poll->switches[i];
		if (s->layer == layer && s->label == label)
			return s;
	}
	return NULL;
}

// Starts a capture at a switch; false: it failed, and the reason was printed.
static bool add_session(struct trace *t, const struct options *o,
			const struct drb_switch_socket *at, const struct session_filter *filter)
{
	const struct metrics_switch *polled = polled_at(t, at->layer, at->label);

	if ((polled && ctl_say_state(polled)) ||
	    session_open(&t->session[t->sessions], &o->ctl, at, filter) < 0)
		return false;
	t->sessions++;
	t->first_watched |= is_first(t, at->layer, at->label);
	return true;
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
		found |= is_first(t, at[i].layer, at[i].label);
		all &= add_session(t, o, &at[i], &wanted);
	}
	free(at);
	pcap_freecode(&program);
	if (!found) {
		drb_instance_name(first, o->ctl.fabric, t->first.layer, t->first.label);
		ctl_say_none(&o->ctl, first);
	}
	return all;
}

static int trace(const struct options *o, const struct metrics_poll *poll,
		 const struct drb_tree *tree)
{
	struct trace t = {.poll = poll, .first = drb_tree_host_peer(tree, o->ends.from)};
	bool whole = open_sessions(&t, o);
	int code = DRB_EXIT_FAILED;

	if (t.first_watched) { // otherwise the total is unknown, and so are all shares of it
		trace_watch(&t, o);
		code = trace_print(&t, o);
	}
	for (size_t i = 0; i < t.sessions; i++)
		session_close(&t.session[i]);
	free(t.session);
	hops_free(&t.hops);
	return whole ? code : DRB_EXIT_FAILED;
}

// Returns the report of a switch that answered and belongs to a tree; NULL: there is none.
static const struct drb_switch_info *info_of(const struct metrics_poll *poll)
{
	for (size_t i = 0; i < poll->count; i++) {
		const struct metrics_switch *s = &poll->switches[i];
		if (s->error == 0 && drb_info_tree(&s->all.info).layers > 0)
			return &s->all.info;
	}
	return NULL;
}

// Names the states of switches of which none answers. The poll has printed why a state is unknown.
static void say_states(const struct metrics_poll *poll)
{
	for (size_t i = 0; i < poll->count; i++) {
		const struct metrics_switch *s = &poll->switches[i];
		if (!ctl_say_state(s) && s->state != CTL_STATE_unknown)
			drb_error("%s-%s: %s", s->fabric, s->name, ctl_state_word(s->state));
	}
}

static int trace_fabric(struct options *o)
{
	struct metrics_poller poller = ctl_poller(&o->ctl);
	struct metrics_poll poll;
	int code = DRB_EXIT_FAILED;

	ctl_poll(&o->ctl, &poller, &poll);
	const struct drb_switch_info *info = info_of(&poll);
	if (info) {
		const struct drb_tree tree = drb_info_tree(info);
		path_ends_resolve(&o->ends, info);
		drb_interrupt_catch(SA_RESTART | SA_RESETHAND);
		code = trace(o, &poll, &tree);
	} else {
		say_states(&poll);
	}
	metrics_poll_free(&poll);
	metrics_poller_close(&poller);
	return code;
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
	return trace_fabric(&o);
}
