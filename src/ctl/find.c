// SPDX-License-Identifier: BSD-3-Clause
// Options of every verb, and reaching the switches they are about.

#include "ctl/ctl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/format_option.h"
#include "common/cli/log.h"
#include "common/cli/quantity.h"
#include "common/telemetry/forbidden.h"

enum { KEY_RUNTIME = 0x100, KEY_TIMEOUT };

static const struct argp_option options[] = {
	{"fabric", 'f', "NAME", 0,
	 "Fabric of names such as s2-5 or h4 (default " DRB_FABRIC_DEFAULT
	 "); where no switch is named, only switches of this fabric (default: of any)",
	 8},
	{"name", 'f', NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 8},
	{"runtime", KEY_RUNTIME, "DIR", 0,
	 "Look for sockets in DIR/dpdk (default: $RUNTIME_DIRECTORY, then /var/run for root, "
	 "$XDG_RUNTIME_DIR or /tmp for others)",
	 8},
	{"timeout", KEY_TIMEOUT, "TIME", 0,
	 "How long a switch may take to answer (default 2s; list, metrics and events 0.9s, serve "
	 "and record 0.5s)",
	 8},
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct ctl *ctl = state->input;
	uint64_t ns;

	switch (key) {
	case 'f':
		if (!drb_fabric_name_ok(arg))
			drb_die("--fabric '%s': not a fabric name", arg);
		ctl->fabric = arg;
		return 0;
	case KEY_RUNTIME:
		ctl->runtime = arg;
		return 0;
	case KEY_TIMEOUT:
		if (drb_parse_time(arg, &ns) < 0 || ns < 1000000 ||
		    ns > 3600 * UINT64_C(1000000000))
			drb_die("--timeout '%s': must be a time from 1ms to 3600s", arg);
		ctl->timeout_ms = (uint32_t)(ns / 1000000);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp ctl_argp = {.options = options, .parser = parse};

static error_t parse_table(int key, char *arg, struct argp_state *state)
{
	struct ctl *ctl = state->input;

	(void)arg;
	if (key != ARGP_KEY_INIT)
		return ARGP_ERR_UNKNOWN;
	state->child_inputs[0] = ctl;
	state->child_inputs[1] = &ctl->format;
	return 0;
}

static const struct argp_child table_children[] = {
	{&ctl_argp, 0, NULL, 0}, {&drb_format_argp, 0, NULL, 0}, {0}};
const struct argp ctl_table_argp = {.parser = parse_table, .children = table_children};

struct ctl ctl_defaults(void)
{
	return (struct ctl){.timeout_ms = DRB_TELEMETRY_TIMEOUT_MS, .format = DRB_FORMAT_TABLE};
}

char **ctl_names_new(int argc)
{
	char **names = calloc((size_t)argc, sizeof(*names));

	if (!names)
		drb_die("out of memory");
	return names;
}

void ctl_need_switches(bool all, char *const names[], size_t count)
{
	if (all && count)
		drb_die("--all and '%s': must be one of them", names[0]);
	if (!all && !count)
		drb_die("a switch is missing: name one, like s2-5, or --all");
}

void ctl_instance(const struct ctl *ctl, const char *text, char instance[DRB_NAME_MAX])
{
	const char *fabric = ctl->fabric ? ctl->fabric : DRB_FABRIC_DEFAULT;
	char other[DRB_FABRIC_MAX + 1];
	uint32_t layer, label;

	if (drb_node_parse(text, &layer, &label) < 0) {
		if (drb_instance_parse(text, other, &layer, &label) < 0)
			drb_die("'%s' is not a switch: must be s<layer>-<label>, like s2-5", text);
		fabric = other;
	}
	if (layer == 0)
		drb_die("'%s' is a host: only switches have counters", text);
	drb_instance_name(instance, fabric, layer, label);
}

void ctl_must_be_switch(const struct ctl *ctl, const char *text)
{
	char instance[DRB_NAME_MAX];

	ctl_instance(ctl, text, instance);
}

// True if the switch says that it is the one its socket's folder is named after.
static bool is_instance(const struct drb_switch_info *info, const char *instance)
{
	char own[DRB_NAME_MAX];

	drb_instance_name(own, info->fabric, (uint32_t)info->layer, (uint32_t)info->label);
	return strcmp(own, instance) == 0;
}

void ctl_say_none(const struct ctl *ctl, const char *instance)
{
	char other[DRB_FORBIDDEN_MAX];
	bool forbidden = drb_telemetry_forbidden(ctl->runtime, instance, other);

	if (instance && forbidden)
		drb_error("%s: no permission to look for it in %s: another user's, try sudo",
			  instance, other);
	else if (instance)
		drb_error("%s: not running", instance);
	else if (forbidden)
		drb_error("no switch is running that this user may ask: no permission to look into "
			  "%s, try sudo",
			  other);
	else if (ctl->fabric)
		drb_error("no switch of fabric '%s' is running", ctl->fabric);
	else
		drb_error("no switch is running");
}

// Who is visited, and for what.
struct visits {
	const struct ctl *ctl;
	struct drb_switch_socket *at; // that were found
	size_t count;
	ctl_visit visit;
	void *arg;
};

// Connects and visits; 0 or a negative errno.
static int visit_one(const struct visits *visits, const struct drb_switch_socket *socket)
{
	struct drb_switch_info info;
	struct drb_telemetry t;
	int rc = drb_telemetry_open(&t, socket->path, visits->ctl->timeout_ms);

	if (rc < 0)
		return rc;
	rc = drb_read_info(&t, &info);
	if (rc == 0 && !is_instance(&info, socket->instance))
		rc = -EPROTO;
	else if (rc == -EOPNOTSUPP)
		rc = -ENOENT; // a DPDK process, but no drbswitch
	else if (rc == 0)
		rc = visits->visit(&t, &info, visits->arg);
	drb_telemetry_close(&t);
	return rc;
}

static bool is_running(int rc)
{
	return rc != -ENOENT && rc != -ECONNREFUSED;
}

static int each_named(const struct visits *visits, char *const names[], size_t count)
{
	char instance[DRB_NAME_MAX];
	int code = DRB_EXIT_OK;

	for (size_t i = 0; i < count; i++) {
		int rc = -ENOENT;
		ctl_instance(visits->ctl, names[i], instance);
		for (size_t k = 0; k < visits->count; k++) {
			if (strcmp(visits->at[k].instance, instance) == 0)
				rc = visit_one(visits, &visits->at[k]);
		}
		if (rc < 0 && !is_running(rc))
			ctl_say_none(visits->ctl, instance);
		else if (rc < 0)
			drb_error("%s: %s", instance, drb_telemetry_error(rc));
		if (rc < 0)
			code = DRB_EXIT_FAILED;
	}
	return code;
}

static int each_running(const struct visits *visits)
{
	int code = DRB_EXIT_OK;
	size_t running = 0;

	for (size_t k = 0; k < visits->count; k++) {
		int rc = visit_one(visits, &visits->at[k]);
		running += is_running(rc);
		if (rc < 0 && is_running(rc)) {
			drb_error("%s: %s", visits->at[k].instance, drb_telemetry_error(rc));
			code = DRB_EXIT_FAILED;
		}
	}
	if (running)
		return code;
	ctl_say_none(visits->ctl, NULL);
	return DRB_EXIT_FAILED;
}

int ctl_each(const struct ctl *ctl, char *const names[], size_t count, ctl_visit visit, void *arg)
{
	struct visits visits = {.ctl = ctl, .visit = visit, .arg = arg};

	// Bad names are refused before anything is asked.
	for (size_t i = 0; names && i < count; i++)
		ctl_must_be_switch(ctl, names[i]);
	int rc = drb_telemetry_scan(ctl->runtime, names ? NULL : ctl->fabric, &visits.at,
				    &visits.count);
	if (rc < 0) {
		drb_error("cannot look for switches: %s", strerror(-rc));
		return DRB_EXIT_FAILED;
	}
	int code = names ? each_named(&visits, names, count) : each_running(&visits);
	free(visits.at);
	return code;
}
