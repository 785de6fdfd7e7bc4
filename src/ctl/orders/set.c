// SPDX-License-Identifier: BSD-3-Clause
// drbctl set: other values for keys of `routing` while switches run.

#include "ctl/verbs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/args.h"
#include "common/cli/log.h"

#include "ctl/ctl.h"
#include "ctl/orders/order.h"

struct set {
	struct ctl ctl;
	char **names;
	size_t count;
	char settings[512]; // "threshold=3 scheme=walk"
	bool all, save;
	struct ctl_refusals refused;
};

static int set_one(struct drb_telemetry *t, const struct drb_switch_info *info, void *arg)
{
	struct set *s = arg;
	int rc = 0;

	if (*s->settings)
		rc = ctl_order(t, info, (struct ctl_order){DRB_CMD_SET, s->settings}, &s->refused);
	if (rc == 0 && s->save)
		rc = ctl_order(t, info, (struct ctl_order){DRB_CMD_SAVE, NULL}, &s->refused);
	return rc < 0 ? rc : 0;
}

static void add_setting(struct set *s, const char *arg)
{
	size_t used = strlen(s->settings);

	if (strpbrk(arg, " ,"))
		drb_die("'%s': a value has no blanks and commas", arg);
	if ((size_t)snprintf(s->settings + used, sizeof(s->settings) - used, "%s%s",
			     used ? " " : "", arg) >= sizeof(s->settings) - used)
		drb_die("'%s': that is too much at once", arg);
}

enum { KEY_SAVE = 0x200 };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct set *s = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &s->ctl;
		return 0;
	case 'a':
		s->all = true;
		return 0;
	case KEY_SAVE:
	case 's':
		s->save = true;
		return 0;
	case ARGP_KEY_ARG:
		if (strchr(arg, '='))
			add_setting(s, arg);
		else
			s->names[s->count++] = arg;
		return 0;
	case ARGP_KEY_END:
		ctl_need_switches(s->all, s->names, s->count);
		if (!*s->settings && !s->save)
			drb_die("nothing to set: want KEY=VALUE, such as threshold=3, or --save");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int ctl_set(int argc, char **argv)
{
	static const struct argp_child children[] = {{&ctl_argp, 0, NULL, 0}, {0}};
	static const struct argp_option options[] = {
		{"all", 'a', NULL, 0, "Every running switch, or every one of --fabric", 0},
		{"save", KEY_SAVE, NULL, 0,
		 "Also write into the configs what was set, now and before", 0},
		{NULL, 's', NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 0},
		{0},
	};
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "SWITCH... [KEY=VALUE...]\n--all [KEY=VALUE...]",
		.doc = "Gives switches other values for keys of routing, such as threshold=3 "
		       "scheme=walk, without losing a packet. They hold until drbctl reload or a "
		       "restart, which go by the config; with --save also longer: each switch "
		       "writes them into its own config, whose comments stay. Exit status 1 if a "
		       "switch refuses.",
		.children = children};
	struct set s = {.ctl = ctl_defaults(), .names = ctl_names_new(argc)};

	drb_args_parse(&argp, argc, argv, 0, &s);
	int code = ctl_each(&s.ctl, s.all ? NULL : s.names, s.count, set_one, &s);
	free(s.names);
	return ctl_refusals_say(&s.refused) ? DRB_EXIT_FAILED : code;
}
