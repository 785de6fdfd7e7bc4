// SPDX-License-Identifier: BSD-3-Clause
// drbctl reload: what switches are asked to do.

#include "ctl.h"

#include <stdlib.h>

#include "common/args.h"
#include "common/msg.h"

struct order {
	struct ctl ctl;
	const char *command;
	char **names;
	size_t count;
	bool all, failed;
};

static int order_one(struct drb_telemetry *t, const struct drb_switch_info *info, void *arg)
{
	struct order *o = arg;
	char text[DRB_ORDER_TEXT_MAX];
	bool done;
	int rc = drb_order(t, o->command, NULL, &done, text);

	if (rc < 0)
		return rc;
	if (done)
		drb_info("%s", text);
	else
		drb_error("%s: %s", info->name, text);
	o->failed |= !done;
	return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct order *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->ctl;
		return 0;
	case 'a':
		o->all = true;
		return 0;
	case ARGP_KEY_ARG:
		o->names[o->count++] = arg;
		return 0;
	case ARGP_KEY_END:
		ctl_need_switches(o->all, o->names, o->count);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int ctl_reload(int argc, char **argv)
{
	static const struct argp_child children[] = {{&ctl_argp, 0, NULL, 0}, {0}};
	static const struct argp_option options[] = {
		{"all", 'a', NULL, 0, "Every running switch, of --fabric if that is given", 0},
		{0},
	};
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "SWITCH...",
		.doc = "Has switches read their config again and go on with it, without losing a "
		       "packet. A config that is not valid changes nothing. What cannot change "
		       "while a switch runs is named. Exit status 1 if a switch refuses.",
		.children = children};
	struct order o = {.ctl = ctl_defaults(),
			  .command = DRB_CMD_RELOAD,
			  .names = calloc((size_t)argc, sizeof(*o.names))};

	if (!o.names)
		drb_die("out of memory");
	drb_args_parse(&argp, argc, argv, 0, &o);
	int code = ctl_each(&o.ctl, o.all ? NULL : o.names, o.count, order_one, &o);
	free(o.names);
	return o.failed ? DRB_EXIT_FAILED : code;
}
