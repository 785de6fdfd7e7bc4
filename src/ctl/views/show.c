// SPDX-License-Identifier: BSD-3-Clause
// drbctl show: prints counters and settings of switches.

#include "ctl/verbs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stddef.h>
#include <string.h>

#include "common/cli/log.h"

#include "ctl/ctl.h"
#include "ctl/views/show.h"

// Short titles for tables; CSV and JSON have the full names.
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
	{"queue_packets", "queue"},
	{"queue_octets", "queue bytes"},
	{"queue_max_packets", "queue max"},
	{"queue_ns", "queue ns"},
	{"ring_packets", "ring pkts"},
	{"lost_credit_ns", "lost link ns"},
	{"up_default", "up default pkts"},
	{"up_redirected", "up redirected pkts"},
	{"down", "down pkts"},
	{"threshold_mode", "mode"},
	{"flows_per_uplink", "flows/uplink"},
	{"redirected_percent", "redirected %"},
	{"percent", "%"},
	{"above_percent", "above %"},
	{"time_ns", ""},
	{"cycles_per_packet", "cycles/pkt"},
	{"packets_per_burst", "pkts/burst"},
	{"idle_percent", "idle %"},
	{"busy_percent", "busy %"},
	{"uptime_s", "uptime s"},
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

void ctl_show_text(struct show *s, const char *key, const char *meaning, const char *value)
{
	drb_table_meaning(s->rows, meaning);
	drb_table_text(s->rows, key, title_of(key), value ? drb_known_text(value) : NULL);
}

void ctl_show_count(struct show *s, const char *key, const char *meaning, uint64_t value)
{
	drb_table_meaning(s->rows, meaning);
	drb_table_count(s->rows, key, title_of(key), value);
}

void ctl_show_loss(struct show *s, const char *key, const char *meaning, uint64_t value)
{
	drb_table_meaning(s->rows, meaning);
	drb_table_loss(s->rows, key, title_of(key), value);
}

void ctl_show_real(struct show *s, const char *key, const char *meaning, int decimals, double value)
{
	drb_table_meaning(s->rows, meaning);
	drb_table_real(s->rows, key, title_of(key), decimals, value);
}

void ctl_show_begin_row(struct show *s, const struct drb_switch_all *all)
{
	if (s->ctl.all)
		drb_table_text(s->rows, "fabric", s->ctl.fabric ? "" : NULL, all->info.fabric);
	ctl_show_text(s, "switch", "s<layer>-<label>", all->info.name);
}

struct view {
	const char *name;
	bool below; // a table of a single switch has one line per value, with its meaning
	ctl_show_view show;
};

static const struct view views[] = {
	{"ports", false, ctl_show_ports},  {"routing", true, ctl_show_routing},
	{"drops", true, ctl_show_drops},   {"worker", true, ctl_show_worker},
	{"info", true, ctl_show_info},     {"links", false, ctl_show_links},
	{"xdp", false, ctl_show_xdp},      {"differences", false, ctl_show_differences},
	{"memory", true, ctl_show_memory},
};

#define VIEW_NAMES "ports, routing, differences, drops, worker, memory, info, links, xdp"

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

// Sorts the arguments: the name of a view, and names of switches.
static void take_words(struct show *s)
{
	struct drb_rest *names = &s->ctl.names;
	uint32_t words = names->count;

	names->count = 0;
	for (uint32_t i = 0; i < words; i++) {
		const struct view *view = find_view(names->at[i]);
		if (view && s->view)
			drb_die("'%s' and '%s': must be one of them", s->view->name, names->at[i]);
		if (!view && !looks_like_switch(names->at[i]))
			drb_die("'%s' is neither a switch, like s2-5, nor one of %s", names->at[i],
				VIEW_NAMES);
		if (view)
			s->view = view;
		else
			names->at[names->count++] = names->at[i];
	}
	ctl_need_switches(&s->ctl);
	if (!s->view)
		s->view = &views[0];
}

static int visit(struct drb_telemetry *t, const struct drb_switch_info *info, void *arg)
{
	struct show *s = arg;
	struct drb_switch_all all = {.info = *info};
	int rc = s->view->show == ctl_show_info     ? 0
		 : s->view->show == ctl_show_memory ? drb_read_memory(t, &all.memory)
						    : drb_read_all(t, &all);

	if (rc < 0)
		return rc;
	s->view->show(&all, s);
	drb_switch_all_free(&all);
	return 0;
}

int ctl_show(int argc, char **argv)
{
	static const struct drb_option options[] = {
		{NULL,
		 "SWITCH... [ports|routing|differences|drops|worker|memory|info|links|xdp]\n"
		 "--all [ports|routing|differences|drops|worker|memory|info|links|xdp]",
		 NULL, .kind = DRB_OPTION_REST, offsetof(struct show, ctl.names)},
		{0},
	};
	struct show s = {.ctl = ctl_defaults()};
	const struct drb_options sets[] = {{.option = ctl_all_option, &s.ctl},
					   {.option = options, &s},
					   CTL_TABLE_SETS(&s.ctl),
					   {0}};

	drb_options_parse(
		sets,
		"Prints the counters of switches. SWITCH is s<layer>-<label>, like s2-5, or with "
		"its fabric, drb-s2-5.\v  ports        packets and bytes in, out, dropped and "
		"queued (default)\n"
		"  routing      scheme, threshold, how many packets left the default uplink\n"
		"  differences  how much shorter the other uplink was at decisions: choosing T\n"
		"  drops        dropped packets by reason\n"
		"  worker       the forwarding thread: iterations, sleeps, lateness\n"
		"  memory       the process: what takes how much of it\n"
		"  info         identity and state of the switch\n"
		"  links        each port: peer, neighbour, state, rate, queue limit, occupancy\n"
		"  xdp          af_xdp ports: what the kernel saw, sent on, kept or lost\n"
		"\n"
		"Exit status 1 if a switch could not be read.",
		argc, argv);
	take_words(&s);
	s.rows = drb_table_new(stdout, s.ctl.format);
	if (s.view->below && s.ctl.names.count == 1)
		drb_table_below(s.rows);
	int code =
		ctl_each(&s.ctl, s.ctl.all ? NULL : s.ctl.names.at, s.ctl.names.count, visit, &s);
	drb_table_end(s.rows);
	if (s.ctl.format == DRB_FORMAT_TABLE && s.multicast && s.multicast != DRB_UNKNOWN)
		drb_info("%" PRIu64 " of these drops are multicast that no switch answers",
			 s.multicast);
	if (code == DRB_EXIT_OK && s.ctl.format == DRB_FORMAT_TABLE &&
	    s.view->show == ctl_show_drops && !s.dropped)
		drb_info("nothing was dropped");
	return code;
}
