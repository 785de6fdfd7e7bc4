// SPDX-License-Identifier: BSD-3-Clause
// drbctl show: counters and settings.

#include "ctl/verbs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/args.h"
#include "common/cli/log.h"

#include "ctl/ctl.h"

struct show;

struct view {
	const char *name;
	bool below; // of a single switch: one line per value, with its meaning
	int (*show)(struct drb_telemetry *t, const struct drb_switch_info *info, struct show *s);
};

struct show {
	struct ctl ctl;
	char **names;
	size_t count;
	bool all;
	const struct view *view;
	struct ctl_rows *rows;
};

// Short heads for the tables; CSV and JSON have the full names.
static const struct {
	const char *key, *title;
} titles[] = {
	{"in_packets", "in pkts"},
	{"in_octets", "in bytes"},
	{"in_discards", "in drops"},
	{"in_missed", "in missed"},
	{"out_packets", "out pkts"},
	{"out_octets", "out bytes"},
	{"out_discards", "out drops"},
	{"queue_packets", "queue pkts"},
	{"queue_octets", "queue bytes"},
	{"queue_max", "queue max pkts"},
	{"queue_ns", "queue ns"},
	{"up_default", "up default pkts"},
	{"up_redirected", "up redirected pkts"},
	{"down", "down pkts"},
	{"xdp_seen", "seen"},
	{"xdp_redirected", "redirected"},
	{"xdp_passed", "passed"},
	{"xdp_ring_full", "ring full"},
	{"xdp_dropped", "dropped"},
};

static const char *title_of(const char *key)
{
	for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++) {
		if (strcmp(titles[i].key, key) == 0)
			return titles[i].title;
	}
	return NULL;
}

static void begin_row(struct show *s, const struct drb_switch_info *info)
{
	if (s->all)
		ctl_text(s->rows, "fabric", s->ctl.fabric ? "" : NULL, NULL, info->fabric);
	ctl_text(s->rows, "switch", NULL, "s<layer>-<label>", info->name);
}

static int show_ports(struct drb_telemetry *t, const struct drb_switch_info *info, struct show *s)
{
	struct drb_switch_ports ports;
	int rc = drb_read_ports(t, &ports);

	if (rc < 0)
		return rc;
	for (uint32_t i = 0; i < ports.count; i++) {
		const struct drb_port_counters *c = &ports.port[i].count;
		begin_row(s, info);
		ctl_text(s->rows, "port", NULL, NULL, ports.port[i].name);
#define X(key, meaning) ctl_count(s->rows, #key, title_of(#key), meaning, c->key);
		DRB_PORT_COUNTERS(X)
#undef X
		ctl_row_end(s->rows);
	}
	drb_switch_ports_free(&ports);
	return 0;
}

typedef void (*link_cells)(struct show *s, const struct drb_switch_link *link);

// A row of every port, or of the steered ones alone. Their number, or a negative errno.
static int each_link(struct drb_telemetry *t, const struct drb_switch_info *info, struct show *s,
		     bool steered, link_cells cells)
{
	struct drb_switch_ports ports;
	int shown = 0;
	int rc = drb_read_ports(t, &ports);

	if (rc < 0)
		return rc;
	for (uint32_t i = 0; i < ports.count; i++) {
		struct drb_switch_link link;
		rc = drb_read_link(t, ports.port[i].name, &link);
		if (rc < 0)
			break;
		if (steered && !link.steered)
			continue;
		begin_row(s, info);
		ctl_text(s->rows, "port", NULL, NULL, link.name);
		cells(s, &link);
		ctl_row_end(s->rows);
		shown++;
	}
	drb_switch_ports_free(&ports);
	return rc < 0 ? rc : shown;
}

static void cells_of_link(struct show *s, const struct drb_switch_link *link)
{
	ctl_text(s->rows, "peer", NULL, NULL, link->peer);
	ctl_text(s->rows, "state", NULL, NULL, link->state);
	ctl_text(s->rows, "neighbour", NULL, NULL, link->neighbour);
	ctl_text(s->rows, "rate", NULL, NULL, link->rate);
	ctl_count(s->rows, "queue", "queue limit pkts", NULL, link->queue);
	ctl_text(s->rows, "driver", NULL, NULL, link->driver);
	ctl_text(s->rows, "device", NULL, NULL, link->device);
}

static int show_links(struct drb_telemetry *t, const struct drb_switch_info *info, struct show *s)
{
	int shown = each_link(t, info, s, false, cells_of_link);

	return shown < 0 ? shown : 0;
}

static void cells_of_xdp(struct show *s, const struct drb_switch_link *link)
{
#define X(key, meaning) ctl_count(s->rows, #key, title_of(#key), meaning, link->xdp.key);
	DRB_XDP_COUNTERS(X)
#undef X
}

static int show_xdp(struct drb_telemetry *t, const struct drb_switch_info *info, struct show *s)
{
	int shown = each_link(t, info, s, true, cells_of_xdp);

	if (shown == 0)
		drb_info("%s: no port has an XDP program with counters", info->name);
	return shown < 0 ? shown : 0;
}

static int show_routing(struct drb_telemetry *t, const struct drb_switch_info *info, struct show *s)
{
	struct drb_switch_routing routing;
	const struct drb_routing_counters *c = &routing.count;
	int rc = drb_read_routing(t, &routing);

	if (rc < 0)
		return rc;
	begin_row(s, info);
	ctl_text(s->rows, "scheme", NULL, "how uplinks are chosen", routing.scheme);
	ctl_text(s->rows, "unit", NULL, "what one decision holds for: packet, flow or flowlet",
		 routing.unit);
	ctl_text(s->rows, "threshold", NULL,
		 "T: leave the default if the other queue is shorter by more than this",
		 routing.threshold);
	ctl_text(s->rows, "threshold_mode", "mode", "fixed, or auto: T follows measurements",
		 routing.threshold_mode);
	ctl_text(s->rows, "utilisation", NULL,
		 "rho: share of time uplinks are busy, mean over 100 ms", routing.utilisation);
	ctl_count(s->rows, "flows", NULL, "live now (unit flow)", routing.flows);
	ctl_text(s->rows, "flows_per_uplink", "flows/uplink", "c: live flows per uplink",
		 routing.flows_per_uplink);
	ctl_count(s->rows, "choices", NULL, "uplinks that drb, rotate and walk look at",
		  routing.choices);
	ctl_count(s->rows, "slot_ns", "slot ns", "slot of rotate's clock; packet time of walk",
		  routing.slot_ns);
	ctl_count(s->rows, "seed", NULL, "seed of the random numbers", routing.seed);
#define X(key, meaning) ctl_count(s->rows, #key, title_of(#key), meaning, c->key);
	DRB_ROUTING_COUNTERS(X)
#undef X
	ctl_real(s->rows, "redirected_percent", "redirected %", "share of the packets sent up",
		 ctl_decimal(ctl_percent(c->up_redirected, c->up_default), 2));
	ctl_row_end(s->rows);
	return 0;
}

static int show_drops(struct drb_telemetry *t, const struct drb_switch_info *info, struct show *s)
{
	struct drb_switch_drops drops;
	int rc = drb_read_drops(t, &drops);

	if (rc < 0)
		return rc;
	begin_row(s, info);
#define X(key, meaning) ctl_count(s->rows, #key, NULL, meaning, drops.reason[DRB_DROP_##key]);
	DRB_DROP_REASONS(X)
#undef X
	ctl_row_end(s->rows);
	return 0;
}

static double ratio(uint64_t a, uint64_t b)
{
	return b ? (double)a / (double)b : 0;
}

static int show_differences(struct drb_telemetry *t, const struct drb_switch_info *info,
			    struct show *s)
{
	struct drb_switch_differences d;
	uint64_t all = 0, upto = 0;
	int rc = drb_read_differences(t, &d);

	if (rc < 0)
		return rc;
	for (int i = 0; i < DRB_DIFFERENCES; i++)
		all += d.count[i];
	for (int i = 0; i < DRB_DIFFERENCES; i++) {
		char text[16];
		if (d.count[i] == 0)
			continue;
		upto += d.count[i];
		begin_row(s, info);
		snprintf(text, sizeof(text), "%d", i - DRB_DIFFERENCE_MAX);
		ctl_text(s->rows, "difference", NULL, "load(default) - load(candidate)", text);
		ctl_count(s->rows, "decisions", NULL, "sampled decisions with this difference",
			  d.count[i]);
		ctl_real(s->rows, "percent", "%", "share of the sample",
			 ctl_decimal(100 * ratio(d.count[i], all), 2));
		ctl_real(s->rows, "above_percent", "above %",
			 "with a larger difference: what T = this would redirect",
			 ctl_decimal(100 * ratio(all - upto, all), 2));
		ctl_row_end(s->rows);
	}
	return 0;
}

static int show_worker(struct drb_telemetry *t, const struct drb_switch_info *info, struct show *s)
{
	struct drb_switch_worker worker;
	const struct drb_worker_counters *c = &worker.count;
	int rc = drb_read_worker(t, &worker);

	if (rc < 0)
		return rc;
	begin_row(s, info);
	ctl_text(s->rows, "idle", NULL, "sleep or poll when there is nothing to do", worker.idle);
	ctl_count(s->rows, "time_ns", "", "CLOCK_MONOTONIC of this snapshot", worker.time_ns);
#define X(key, meaning) ctl_count(s->rows, #key, NULL, meaning, c->key);
	DRB_WORKER_COUNTERS(X)
#undef X
	ctl_count(s->rows, "buffers", NULL, "packet buffers: enough to fill every queue, and more",
		  worker.buffers);
	ctl_count(s->rows, "buffers_free", NULL, "packet buffers free now", worker.buffers_free);
	ctl_real(s->rows, "cycles_per_packet", "cycles/pkt",
		 "work_cycles per packet received: the cost of a packet, driver included",
		 ctl_decimal(ratio(c->work_cycles, c->rx_packets), 1));
	ctl_real(s->rows, "packets_per_burst", "pkts/burst",
		 "packets per receive burst that was not empty",
		 ctl_decimal(ratio(c->rx_packets, c->rx_bursts), 2));
	ctl_real(s->rows, "idle_percent", "idle %", "share of its time asleep or polling in vain",
		 ctl_decimal(100 - 100e9 * ratio(c->work_cycles, worker.cycles_hz) /
					     (double)(c->busy_ns + c->sleep_ns + 1),
			     2));
	ctl_real(s->rows, "busy_percent", "busy %", "share of its time awake",
		 ctl_decimal(ctl_percent(c->busy_ns, c->sleep_ns), 2));
	ctl_row_end(s->rows);
	return 0;
}

static int show_info(struct drb_telemetry *t, const struct drb_switch_info *info, struct show *s)
{
	(void)t;
	begin_row(s, info);
	ctl_text(s->rows, "version", NULL, "version of drbswitch", info->version);
	ctl_count(s->rows, "layers", NULL, "l of F(l,d)", info->layers);
	ctl_count(s->rows, "arity", NULL, "d of F(l,d)", info->arity);
	ctl_count(s->rows, "layer", NULL, "1 has the hosts below it", info->layer);
	ctl_count(s->rows, "label", NULL, "within the layer", info->label);
	ctl_text(s->rows, "code", NULL, "label code, top component first", info->code);
	ctl_count(s->rows, "ports", NULL, "down-ports and up-ports", info->ports);
	ctl_count(s->rows, "ports_usable", NULL, "ports that can be used", info->ports_usable);
	ctl_text(s->rows, "trouble", NULL, "what is wrong with the other ports", info->trouble);
	ctl_text(s->rows, "state", NULL, "ready: all ports forward",
		 info->ready ? "ready" : "starting");
	ctl_count(s->rows, "pid", NULL, "process", info->pid);
	ctl_real(s->rows, "uptime_s", "uptime s", "seconds since the start",
		 ctl_decimal((double)info->uptime_ns / 1e9, 3));
	ctl_row_end(s->rows);
	return 0;
}

static const struct view views[] = {
	{"ports", false, show_ports}, {"routing", true, show_routing},
	{"drops", true, show_drops},  {"worker", true, show_worker},
	{"info", true, show_info},    {"links", false, show_links},
	{"xdp", false, show_xdp},     {"differences", false, show_differences},
};

#define VIEW_NAMES "ports, routing, differences, drops, worker, info, links, xdp"

static bool looks_like_switch(const char *text)
{
	char fabric[DRB_FABRIC_MAX + 1];
	uint32_t layer, label;

	return drb_node_parse(text, &layer, &label) == 0 ||
	       drb_instance_parse(text, fabric, &layer, &label) == 0;
}

static const struct view *find_view(const char *name)
{
	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
		if (strcmp(views[i].name, name) == 0)
			return &views[i];
	}
	return NULL;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct show *s = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &s->ctl;
		return 0;
	case 'a':
		s->all = true;
		return 0;
	case ARGP_KEY_ARG: {
		const struct view *view = find_view(arg);
		if (view && s->view)
			drb_die("'%s' and '%s': must be one of them", s->view->name, arg);
		if (view)
			s->view = view;
		else if (!looks_like_switch(arg))
			drb_die("'%s' is neither a switch, like s2-5, nor one of %s", arg,
				VIEW_NAMES);
		else
			s->names[s->count++] = arg;
		return 0;
	}
	case ARGP_KEY_END:
		ctl_need_switches(s->all, s->names, s->count);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int visit(struct drb_telemetry *t, const struct drb_switch_info *info, void *arg)
{
	struct show *s = arg;

	return s->view->show(t, info, s);
}

int ctl_show(int argc, char **argv)
{
	static const struct argp_option options[] = {
		{"all", 'a', NULL, 0, "Every running switch, or every one of --fabric", 1},
		{0},
	};
	static const struct argp_child children[] = {{&ctl_table_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "SWITCH... [ports|routing|differences|drops|worker|info|links|xdp]\n"
			    "--all [ports|routing|differences|drops|worker|info|links|xdp]",
		.doc = "Prints the counters of switches. SWITCH is s<layer>-<label>, like s2-5, or "
		       "with its fabric, drb-s2-5.\v"
		       "  ports        packets and bytes in, out, dropped and queued (default)\n"
		       "  routing      scheme, threshold, how many packets left the default "
		       "uplink\n"
		       "  differences  how much shorter the other uplink was at decisions: "
		       "choosing T\n"
		       "  drops        dropped packets by reason\n"
		       "  worker       the forwarding thread: iterations, sleeps, lateness\n"
		       "  info         identity and state of the switch\n"
		       "  links        each port: peer, neighbour, state, rate, queue limit\n"
		       "  xdp          af_xdp ports: what the kernel saw, sent on, kept or lost\n"
		       "\n"
		       "Exit status 1 if a switch could not be read.",
		.children = children};
	struct show s = {.ctl = ctl_defaults(), .names = calloc((size_t)argc, sizeof(*s.names))};

	if (!s.names)
		drb_die("out of memory");
	drb_args_parse(&argp, argc, argv, 0, &s);
	if (!s.view)
		s.view = &views[0];
	s.rows = ctl_rows_new(s.ctl.format, s.view->below && s.count == 1);
	int code = ctl_each(&s.ctl, s.all ? NULL : s.names, s.count, visit, &s);
	ctl_rows_end(s.rows);
	free(s.names);
	return code;
}
