// SPDX-License-Identifier: BSD-3-Clause
// drbctl list: lists every running switch, and those that were stopped on purpose.

#include "ctl/verbs.h"

#include "common/cli/log.h"

#include <math.h>
#include <stdlib.h>

#include "ctl/ctl.h"
#include "ctl/views/stopped.h"

static int list_one(struct drb_telemetry *t, const struct drb_switch_info *info, void *arg)
{
	struct drb_table *rows = arg;

	(void)t;
	drb_table_text(rows, "fabric", NULL, info->fabric);
	drb_table_text(rows, "switch", NULL, info->name);
	drb_table_count(rows, "ports", NULL, info->ports);
	drb_table_count(rows, "ports_usable", "usable", info->ports_usable);
	drb_table_text(rows, "state", NULL, ctl_state_of(info));
	drb_table_text(rows, "trouble", NULL, drb_known_text(info->trouble));
	drb_table_real(rows, "uptime_s", "uptime s", 0, drb_real_of(info->uptime_ns) / 1e9);
	drb_table_text(rows, "code", NULL, drb_known_text(info->code));
	drb_table_count(rows, "layers", NULL, info->layers);
	drb_table_count(rows, "arity", NULL, info->arity);
	drb_table_count(rows, "pid", NULL, info->pid);
	drb_table_text(rows, "version", NULL, drb_known_text(info->version));
	drb_table_row_end(rows);
	return 0;
}

static void list_stopped(struct drb_table *rows, const struct stopped_switch *s)
{
	char name[DRB_NAME_MAX], code[DRB_CODE_MAX];

	drb_node_name(name, s->layer, s->label);
	drb_code_text(code, &s->tree, s->layer, s->label);
	drb_table_text(rows, "fabric", NULL, s->fabric);
	drb_table_text(rows, "switch", NULL, name);
	drb_table_count(rows, "ports", NULL,
			drb_tree_down_ports(&s->tree, s->layer) +
				drb_tree_up_ports(&s->tree, s->layer));
	drb_table_count(rows, "ports_usable", "usable", 0);
	drb_table_text(rows, "state", NULL, "stopped");
	drb_table_text(rows, "trouble", NULL, "");
	drb_table_real(rows, "uptime_s", "uptime s", 0, NAN);
	drb_table_text(rows, "code", NULL, code);
	drb_table_count(rows, "layers", NULL, s->tree.layers);
	drb_table_count(rows, "arity", NULL, s->tree.arity);
	drb_table_count(rows, "pid", NULL, DRB_UNKNOWN);
	drb_table_text(rows, "version", NULL, "");
	drb_table_row_end(rows);
}

int ctl_list(int argc, char **argv)
{
	struct ctl ctl = ctl_defaults();
	const struct drb_options sets[] = {CTL_TABLE_SETS(&ctl), {0}};

	ctl.timeout_ms = DRB_TELEMETRY_PROMPT_MS;
	drb_options_parse(
		sets,
		"Lists the running switches and the trouble of their ports: which are down, "
		"which cable to move where. Also lists switches that were stopped on purpose. "
		"Exit status 1 if none is running or one does not answer.",
		argc, argv);
	struct drb_table *rows = drb_table_new(stdout, ctl.format);
	int code = ctl_each(&ctl, NULL, 0, list_one, rows);
	// Records of stopped switches are about fabrics of this machine, not of another runtime
	// folder.
	struct stopped_list stopped = {0};
	if (!ctl.runtime)
		stopped = stopped_find(ctl.fabric);
	for (size_t i = 0; i < stopped.count; i++)
		list_stopped(rows, &stopped.at[i]);
	free(stopped.at);
	drb_table_end(rows);
	return code;
}
