// SPDX-License-Identifier: BSD-3-Clause
// drbctl list: every running switch.

#include "ctl/verbs.h"

#include "common/cli/args.h"
#include "common/cli/log.h"

#include <math.h>
#include <stdlib.h>

#include "ctl/ctl.h"
#include "ctl/views/stopped.h"

static int list_one(struct drb_telemetry *t, const struct drb_switch_info *info, void *arg)
{
	struct ctl_rows *rows = arg;

	(void)t;
	ctl_text(rows, "fabric", NULL, NULL, info->fabric);
	ctl_text(rows, "switch", NULL, NULL, info->name);
	ctl_count(rows, "ports", NULL, NULL, info->ports);
	ctl_count(rows, "ports_usable", "usable", NULL, info->ports_usable);
	ctl_text(rows, "state", NULL, NULL,
		 info->stuck   ? "stuck"
		 : info->ready ? "ready"
			       : "starting");
	ctl_text(rows, "trouble", NULL, NULL, info->trouble);
	ctl_real(rows, "uptime_s", "uptime s", NULL, ctl_decimal((double)info->uptime_ns / 1e9, 0));
	ctl_text(rows, "code", NULL, NULL, info->code);
	ctl_count(rows, "layers", NULL, NULL, info->layers);
	ctl_count(rows, "arity", NULL, NULL, info->arity);
	ctl_count(rows, "pid", NULL, NULL, info->pid);
	ctl_text(rows, "version", NULL, NULL, info->version);
	ctl_row_end(rows);
	return 0;
}

static void list_stopped(struct ctl_rows *rows, const struct stopped_switch *s)
{
	char name[DRB_NAME_MAX], code[DRB_CODE_MAX];

	drb_node_name(name, s->layer, s->label);
	drb_code_text(code, &s->tree, s->layer, s->label);
	ctl_text(rows, "fabric", NULL, NULL, s->fabric);
	ctl_text(rows, "switch", NULL, NULL, name);
	ctl_count(rows, "ports", NULL, NULL,
		  drb_tree_down_ports(&s->tree, s->layer) + drb_tree_up_ports(&s->tree, s->layer));
	ctl_count(rows, "ports_usable", "usable", NULL, 0);
	ctl_text(rows, "state", NULL, NULL, "stopped");
	ctl_text(rows, "trouble", NULL, NULL, "");
	ctl_real(rows, "uptime_s", "uptime s", NULL, ctl_decimal(NAN, 0));
	ctl_text(rows, "code", NULL, NULL, code);
	ctl_count(rows, "layers", NULL, NULL, s->tree.layers);
	ctl_count(rows, "arity", NULL, NULL, s->tree.arity);
	ctl_nothing(rows, "pid", NULL);
	ctl_text(rows, "version", NULL, NULL, "");
	ctl_row_end(rows);
}

int ctl_list(int argc, char **argv)
{
	static const struct argp_child children[] = {{&ctl_table_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {
		.parser = drb_args_parse_child,
		.doc = "Lists the running switches and what is wrong with their ports: which are "
		       "down, which cable to move where; and those that were stopped on purpose. "
		       "Exit status 1 if none is running or one does not answer.",
		.children = children};
	struct ctl ctl = ctl_defaults();

	ctl.timeout_ms = DRB_TELEMETRY_PROMPT_MS;
	drb_args_parse(&argp, argc, argv, 0, &ctl);
	struct ctl_rows *rows = ctl_rows_new(ctl.format, false);
	int code = ctl_each(&ctl, NULL, 0, list_one, rows);
	// Their records are of the fabrics of this machine.
	struct stopped_list stopped = {0};
	if (!ctl.runtime)
		stopped = stopped_find(ctl.fabric);
	for (size_t i = 0; i < stopped.count; i++)
		list_stopped(rows, &stopped.at[i]);
	free(stopped.at);
	ctl_rows_end(rows);
	return code;
}
