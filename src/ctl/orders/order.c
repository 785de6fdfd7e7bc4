// SPDX-License-Identifier: BSD-3-Clause
// drbctl reload, drain, undrain, down, up: what switches are asked to do.

#include "ctl/verbs.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/args.h"
#include "common/cli/log.h"

#include "ctl/ctl.h"
#include "ctl/orders/order.h"

struct order {
	struct ctl ctl;
	const char *command;
	bool ports; // of a port as well as of a switch
	char **names;
	size_t count;
	const char *port; // of the switch being visited; NULL: the whole switch
	bool all;
	struct ctl_refusals refused;
};

int ctl_order(struct drb_telemetry *t, const struct drb_switch_info *info, struct ctl_order order,
	      struct ctl_refusals *refused)
{
	char text[DRB_ORDER_TEXT_MAX];
	bool done;
	int rc = drb_order(t, order.command, order.parameter, &done, text);

	if (rc < 0)
		return rc;
	if (done)
		drb_info("%s", text);
	else
		ctl_refusals_add(refused, info->name, text);
	return !done;
}

static int order_one(struct drb_telemetry *t, const struct drb_switch_info *info, void *arg)
{
	struct order *o = arg;
	int rc = ctl_order(t, info, (struct ctl_order){o->command, o->port}, &o->refused);

	return rc < 0 ? rc : 0;
}

// Takes the port off the end of "s2-5.u0". NULL: there is none.
static char *cut_port(char *name)
{
	char *dot = strrchr(name, '.');
	uint32_t port;
	bool up;

	if (!dot || drb_port_parse(dot + 1, &up, &port) < 0)
		return NULL;
	*dot = '\0';
	return dot + 1;
}

// One name after the other, as they were given.
static int order_named(struct order *o)
{
	char **port = calloc(o->count, sizeof(*port));
	int code = DRB_EXIT_OK;

	if (!port)
		drb_die("out of memory");
	for (size_t i = 0; i < o->count; i++) {
		port[i] = o->ports ? cut_port(o->names[i]) : NULL;
		ctl_must_be_switch(&o->ctl, o->names[i]);
	}
	for (size_t i = 0; i < o->count; i++) {
		o->port = port[i];
		if (ctl_each(&o->ctl, &o->names[i], 1, order_one, o) != DRB_EXIT_OK)
			code = DRB_EXIT_FAILED;
	}
	free(port);
	return code;
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
		if (o->ports && !o->all && !o->count)
			drb_die("a switch or a port is missing: name one, like s2-5 or s2-5.u0");
		ctl_need_switches(o->all, o->names, o->count);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int order(const struct argp *argp, const char *command, bool ports, int argc, char **argv)
{
	struct order o = {.ctl = ctl_defaults(),
			  .command = command,
			  .ports = ports,
			  .names = ctl_names_new(argc)};

	drb_args_parse(argp, argc, argv, 0, &o);
	int code = o.all ? ctl_each(&o.ctl, NULL, 0, order_one, &o) : order_named(&o);
	free(o.names);
	return ctl_refusals_say(&o.refused) ? DRB_EXIT_FAILED : code;
}

static const struct argp_child children[] = {{&ctl_argp, 0, NULL, 0}, {0}};
static const struct argp_option all_option[] = {
	{"all", 'a', NULL, 0, "Every running switch, or every one of --fabric", 0},
	{0},
};

int ctl_reload(int argc, char **argv)
{
	static const struct argp argp = {
		.options = all_option,
		.parser = parse,
		.args_doc = "SWITCH...\n--all",
		.doc = "Makes switches read and apply their config again without losing a packet. "
		       "An invalid config changes nothing. Keys that cannot change while a switch "
		       "runs are named. Exit status 1 if a switch refuses.",
		.children = children};

	return order(&argp, DRB_CMD_RELOAD, false, argc, argv);
}

int ctl_drain(int argc, char **argv)
{
	static const struct argp argp = {
		.parser = parse,
		.args_doc = "SWITCH[.PORT]...",
		.doc = "Takes a port, like s2-5.u0, or all ports of a switch above layer 1 out of "
		       "use without losing a packet: both ends send no new traffic over it, and "
		       "packets under way still pass. Lasts until drbctl undrain or a restart of "
		       "the switch. Refused where it would isolate a host or switch; a drained "
		       "link that later becomes the last path is used until there is another, as "
		       "drbctl show SWITCH links shows. Exit status 1 if a switch refuses.",
		.children = children};

	return order(&argp, DRB_CMD_DRAIN, true, argc, argv);
}

int ctl_undrain(int argc, char **argv)
{
	static const struct argp argp = {
		.options = all_option,
		.parser = parse,
		.args_doc = "SWITCH[.PORT]...\n--all",
		.doc = "Brings ports, or all ports of switches, back into use after drbctl drain. "
		       "Exit status 1 if a switch refuses.",
		.children = children};

	return order(&argp, DRB_CMD_UNDRAIN, true, argc, argv);
}

int ctl_down(int argc, char **argv)
{
	static const struct argp argp = {
		.parser = parse,
		.args_doc = "SWITCH[.PORT]...",
		.doc = "Takes a port, like s2-5.u0, or all ports of a switch down, as if cables "
		       "were cut: what comes in there or would leave is dropped and counted "
		       "(port_down), hellos included, by which both ends find out. Lasts until "
		       "drbctl up or a restart of the switch. To lose nothing, drain before. Exit "
		       "status 1 if a switch refuses.",
		.children = children};

	return order(&argp, DRB_CMD_DOWN, true, argc, argv);
}

int ctl_up(int argc, char **argv)
{
	static const struct argp argp = {
		.options = all_option,
		.parser = parse,
		.args_doc = "SWITCH[.PORT]...\n--all",
		.doc = "Ends what drbctl down has begun: the ports are used again once they hear "
		       "their neighbours. Exit status 1 if a switch refuses.",
		.children = children};

	return order(&argp, DRB_CMD_UP, true, argc, argv);
}
