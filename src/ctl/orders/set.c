// SPDX-License-Identifier: BSD-3-Clause
// drbctl set: other values for keys of `routing` while switches run.

#include "ctl/verbs.h"

#include <stdio.h>
#include <string.h>

#include "common/cli/log.h"

#include "ctl/ctl.h"
#include "ctl/orders/order.h"

struct set {
	struct ctl ctl;
	char settings[1024]; // "threshold=3 scheme=walk"
	struct ctl_refusals refused;
};

static int set_one(struct drb_telemetry *t, const struct drb_switch_info *info, void *arg)
{
	struct set *s = arg;
	int rc = ctl_order(t, info, (struct ctl_order){DRB_CMD_SET, s->settings}, &s->refused);

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

// What is no KEY=VALUE is the name of a switch.
static void take_words(struct set *s)
{
	struct drb_rest *names = &s->ctl.names;
	uint32_t words = names->count;

	names->count = 0;
	for (uint32_t i = 0; i < words; i++) {
		if (strchr(names->at[i], '='))
			add_setting(s, names->at[i]);
		else
			names->at[names->count++] = names->at[i];
	}
	ctl_need_switches(&s->ctl);
	if (!*s->settings)
		drb_die("nothing to set: want KEY=VALUE, such as threshold=3");
}

int ctl_set(int argc, char **argv)
{
	static const struct drb_option options[] = {
		{NULL, "SWITCH... KEY=VALUE...\n--all KEY=VALUE...", NULL, .kind = DRB_OPTION_REST,
		 offsetof(struct set, ctl.names)},
		{0},
	};
	struct set s = {.ctl = ctl_defaults()};
	const struct drb_options sets[] = {
		{.option = ctl_all_option, &s.ctl}, {.option = options, &s}, CTL_SET(&s.ctl), {0}};

	drb_options_parse(
		sets,
		"Gives switches other values for keys of routing, such as threshold=3 "
		"scheme=walk, without losing a packet. They hold until drbctl reload or a "
		"restart, which go by the config. Exit status 1 if a switch refuses.",
		argc, argv);
	take_words(&s);
	int code =
		ctl_each(&s.ctl, s.ctl.all ? NULL : s.ctl.names.at, s.ctl.names.count, set_one, &s);
	return ctl_refusals_say(&s.refused) ? DRB_EXIT_FAILED : code;
}
