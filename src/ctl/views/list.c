// SPDX-License-Identifier: BSD-3-Clause
// drbctl list: lists every switch of the fabric, also those that do not run.

#include "ctl/verbs.h"

#include <string.h>

#include "ctl/ctl.h"

// The figures of a switch that reports nothing, from its position in the tree that another switch
// of its fabric reports.
static struct drb_switch_info info_from_tree(const struct metrics_poll *poll,
					     const struct metrics_switch *who)
{
	struct drb_switch_info info;

	memset(&info, 0xff, sizeof(info)); // DRB_UNKNOWN
	strcpy(info.code, DRB_UNKNOWN_TEXT);
	strcpy(info.version, DRB_UNKNOWN_TEXT);
	info.trouble[0] = '\0';
	info.ports_usable = 0;
	if (who->pid && (who->state == CTL_STATE_hung || who->state == CTL_STATE_starting))
		info.pid = who->pid;
	for (size_t i = 0; i < poll->count; i++) {
		const struct drb_switch_info *other = &poll->switches[i].all.info;
		const struct drb_tree tree = drb_info_tree(other);
		if (!*other->name || strcmp(poll->switches[i].fabric, who->fabric) != 0 ||
		    who->layer > tree.layers || who->label >= drb_tree_switches(&tree, who->layer))
			continue;
		drb_code_text(info.code, &tree, who->layer, who->label);
		info.layers = tree.layers;
		info.arity = tree.arity;
		info.ports = drb_tree_down_ports(&tree, who->layer) +
			     drb_tree_up_ports(&tree, who->layer);
		break;
	}
	return info;
}

// True if a part of this trouble ("d1 down; u0 drained") is not an order of somebody.
static bool is_fault(const char *trouble)
{
	const char *known = drb_known_text(trouble);

	for (const char *at = known; at && *at;) {
		const size_t length = strcspn(at, ";");
		if (!memmem(at, length, "drained", strlen("drained")))
			return true;
		at += length + strspn(at + length, "; ");
	}
	return false;
}

static void list_one(struct drb_table *rows, const struct metrics_poll *poll,
		     const struct metrics_switch *s)
{
	const struct drb_switch_info info =
		*s->all.info.name ? s->all.info : info_from_tree(poll, s);
	char how[CTL_STATE_HOW_MAX];

	ctl_state_how(s, how);
	drb_table_text(rows, "fabric", NULL, s->fabric);
	drb_table_text(rows, "switch", NULL, s->name);
	drb_table_count(rows, "ports", NULL, info.ports);
	drb_table_count(rows, "ports_usable", "usable", info.ports_usable);
	drb_table_bad(rows, ctl_state_stands_out(s->state));
	drb_table_text(rows, "state", NULL, ctl_state_word(s->state));
	drb_table_bad(rows, ctl_state_stands_out(s->state) || is_fault(info.trouble));
	drb_table_text(rows, "trouble", NULL, *how ? how : drb_known_text(info.trouble));
	drb_table_real(rows, "uptime_s", "uptime s", 0, drb_real_of(info.uptime_ns) / 1e9);
	drb_table_text(rows, "code", NULL, drb_known_text(info.code));
	drb_table_count(rows, "layers", NULL, info.layers);
	drb_table_count(rows, "arity", NULL, info.arity);
	drb_table_count(rows, "pid", NULL, info.pid);
	drb_table_text(rows, "version", NULL, drb_known_text(info.version));
	drb_table_row_end(rows);
}

int ctl_list(int argc, char **argv)
{
	struct ctl ctl = ctl_defaults();
	const struct drb_options sets[] = {CTL_TABLE_SETS(&ctl), {0}};
	struct metrics_poll poll;

	ctl.timeout_ms = DRB_TELEMETRY_PROMPT_MS;
	drb_options_parse(
		sets,
		"Lists the switches with their states and the trouble of their ports: which are "
		"down, which cable to move where. Of those that do not run, lists what left a "
		"socket or is of topo/fabric. Exit status 1 if one is stuck, hung, dead or "
		"unknown, or none runs.",
		argc, argv);
	struct metrics_poller poller = ctl_poller(&ctl);
	int code = ctl_poll(&ctl, &poller, &poll);
	struct drb_table *rows = drb_table_new(stdout, ctl.format);
	for (size_t i = 0; i < poll.count; i++)
		list_one(rows, &poll, &poll.switches[i]);
	drb_table_end(rows);
	ctl_print_states(&ctl, &poll);
	metrics_poll_free(&poll);
	metrics_poller_close(&poller);
	return code;
}
