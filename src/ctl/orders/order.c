// SPDX-License-Identifier: BSD-3-Clause
// drbctl reload, set, drain, undrain, down, up: send orders to switches.

#include "ctl/verbs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/log.h"

#include "ctl/ctl.h"
#include "ctl/orders/refusals.h"

struct order {
	struct ctl ctl;
	const char *command;
	bool ports;            // the order may be for a single port
	const char *parameter; // port of the visited switch, or settings; NULL: none
	char settings[1024];   // "threshold=3 scheme=walk"
	struct ctl_refusals refused;
};

// Prints the reply of a switch that obeys. Refusals are collected, because many switches may refuse
// for the same reason.
static int order_one(struct drb_telemetry *t, const struct drb_switch_info *info, void *arg)
{
	struct order *o = arg;
	char text[DRB_ORDER_TEXT_MAX];
	bool done;
	int rc = drb_order(t, o->command, o->parameter, &done, text);

	if (rc < 0)
		return rc;
	if (done)
		drb_info("%s", text);
	else
		ctl_refusals_add(&o->refused, info->name, text);
	return 0;
}

// Cuts the port off the end of "s2-5.u0" and returns it. NULL: there is none.
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

// Sends the order to the named switches, in the order of the command line.
static int order_named(struct order *o)
{
	const struct drb_rest names = o->ctl.names;
	char **port = calloc(names.count, sizeof(*port));
	int code = DRB_EXIT_OK;

	if (!port)
		drb_die("out of memory");
	for (size_t i = 0; i < names.count; i++) {
		port[i] = o->ports ? cut_port(names.at[i]) : NULL;
		ctl_must_be_switch(&o->ctl, names.at[i]);
	}
	for (size_t i = 0; i < names.count; i++) {
		if (o->ports)
			o->parameter = port[i];
		if (ctl_each(&o->ctl, &names.at[i], 1, order_one, o) != DRB_EXIT_OK)
			code = DRB_EXIT_FAILED;
	}
	free(port);
	return code;
}

static void add_setting(struct order *o, const char *arg)
{
	size_t used = strlen(o->settings);

	if (strpbrk(arg, " ,"))
		drb_die("'%s': a value has no blanks and commas", arg);
	if ((size_t)snprintf(o->settings + used, sizeof(o->settings) - used, "%s%s",
			     used ? " " : "", arg) >= sizeof(o->settings) - used)
		drb_die("'%s': that is too much at once", arg);
}

// Sorts the arguments: KEY=VALUE is a setting, and anything else is the name of a switch.
static void take_settings(struct order *o)
{
	struct drb_rest *names = &o->ctl.names;
	uint32_t words = names->count;

	names->count = 0;
	for (uint32_t i = 0; i < words; i++) {
		if (strchr(names->at[i], '='))
			add_setting(o, names->at[i]);
		else
			names->at[names->count++] = names->at[i];
	}
	ctl_need_switches(&o->ctl);
	if (!*o->settings)
		drb_die("nothing to set: want KEY=VALUE, such as threshold=3");
	o->parameter = o->settings;
}

#define SWITCHES "SWITCH..."
#define PORTS "SWITCH[.PORT]..."
#define OR_ALL "\n--all"
#define SETTINGS " KEY=VALUE..."

static int order_send(const char *command, const char *args, const char *doc, int argc, char **argv)
{
	const bool ports = strncmp(args, PORTS, strlen(PORTS)) == 0, may_all = strstr(args, OR_ALL);
	struct order o = {.ctl = ctl_defaults(), .command = command, .ports = ports};
	const struct drb_option names[] = {
		{NULL, args, NULL, .kind = DRB_OPTION_REST, offsetof(struct order, ctl.names)},
		{0}};
	static const struct drb_option none;
	const struct drb_options sets[] = {{.option = names, &o},
					   {.option = may_all ? ctl_all_option : &none, &o.ctl},
					   CTL_SET(&o.ctl),
					   {0}};

	drb_options_parse(sets, doc, argc, argv);
	if (strstr(args, SETTINGS))
		take_settings(&o);
	if (ports && !o.ctl.all && !o.ctl.names.count)
		drb_die("a switch or a port is missing: name one, like s2-5 or s2-5.u0");
	ctl_need_switches(&o.ctl);
	int code = o.ctl.all ? ctl_each(&o.ctl, NULL, 0, order_one, &o) : order_named(&o);
	return ctl_refusals_say(&o.refused) ? DRB_EXIT_FAILED : code;
}

int ctl_reload(int argc, char **argv)
{
	return order_send(
		DRB_CMD_RELOAD, SWITCHES OR_ALL,
		"Makes switches read and apply their config again without loss of packets. "
		"An invalid config changes nothing. The reply names keys that cannot change "
		"while a switch runs. Exit status 1 if a switch refuses.",
		argc, argv);
}

int ctl_set(int argc, char **argv)
{
	return order_send(
		DRB_CMD_SET, SWITCHES SETTINGS OR_ALL SETTINGS,
		"Changes keys of routing in running switches, such as threshold=3 scheme=walk, "
		"without loss of packets. The next drbctl reload or restart undoes this. Exit "
		"status 1 if a switch refuses.",
		argc, argv);
}

int ctl_drain(int argc, char **argv)
{
	return order_send(
		DRB_CMD_DRAIN, PORTS,
		"Takes a port, like s2-5.u0, or all ports of a switch above layer 1 out of "
		"use without loss: both ends send no new traffic over it, and packets in "
		"flight still pass. Lasts until drbctl undrain or a restart of the switch. "
		"The switch refuses to isolate a host or a switch. A drained link that "
		"later becomes the last path is used until there is another; drbctl show "
		"SWITCH links shows it. Exit status 1 if a switch refuses.",
		argc, argv);
}

int ctl_undrain(int argc, char **argv)
{
	return order_send(DRB_CMD_UNDRAIN, PORTS OR_ALL,
			  "Puts ports, or all ports of switches, back into use after drbctl drain. "
			  "Exit status 1 if a switch refuses.",
			  argc, argv);
}

int ctl_down(int argc, char **argv)
{
	return order_send(DRB_CMD_DOWN, PORTS,
			  "Takes a port, like s2-5.u0, or all ports of a switch down, as if cables "
			  "were cut: packets in both directions are dropped (port_down), and also "
			  "hellos, so both ends notice. Lasts until drbctl up or a restart of the "
			  "switch. Drain first to lose nothing. Exit status 1 if a switch refuses.",
			  argc, argv);
}

int ctl_up(int argc, char **argv)
{
	return order_send(
		DRB_CMD_UP, PORTS OR_ALL,
		"Puts ports up again after drbctl down. They are used again once they hear "
		"their neighbours. Exit status 1 if a switch refuses.",
		argc, argv);
}
