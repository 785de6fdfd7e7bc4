// SPDX-License-Identifier: BSD-3-Clause
// The options that all verbs share, and connections to the switches that a command line names.

#include "ctl/ctl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/log.h"
#include "common/cli/quantity.h"
#include "common/telemetry/forbidden.h"

#define AT(field) offsetof(struct ctl, field)

static void parse_fabric(const struct drb_option *o, const char *text, void *fabric)
{
	(void)o;
	if (!drb_fabric_name_ok(text))
		drb_die("--fabric '%s': not a fabric name", text);
	*(const char **)fabric = text;
}

static void parse_timeout(const struct drb_option *o, const char *text, void *timeout_ms)
{
	uint64_t ns;

	if (drb_parse_time(text, &ns) < 0 || ns < 1000000 || ns > 3600 * UINT64_C(1000000000))
		drb_die("%s '%s': must be a time from 1ms to 3600s", o->name, text);
	*(uint32_t *)timeout_ms = (uint32_t)(ns / 1000000);
}

const struct drb_option ctl_options[] = {
	{"--fabric", "NAME",
	 "Fabric of names such as s2-5 or h4 (default " DRB_FABRIC_DEFAULT
	 "); without a named switch, restrict to this fabric (default: all fabrics)",
	 .kind = DRB_OPTION_OTHER, AT(fabric), .parse = parse_fabric, .letter = 'f'},
	{"--runtime", "DIR",
	 "Look for sockets in DIR/dpdk (default: $RUNTIME_DIRECTORY, then /var/run for root, "
	 "$XDG_RUNTIME_DIR or /tmp for others)",
	 .kind = DRB_OPTION_TEXT, AT(runtime)},
	{"--timeout", "TIME",
	 "How long a switch may take to answer (default 2s; list, metrics and events 0.9s, serve "
	 "and record 0.5s)",
	 .kind = DRB_OPTION_OTHER, AT(timeout_ms), .parse = parse_timeout},
	{0},
};

const struct drb_option ctl_all_option[] = {
	{"--all", NULL, "Every running switch, or every one of --fabric", .kind = DRB_OPTION_FLAG,
	 AT(all), .letter = 'a'},
	{0},
};

struct ctl ctl_defaults(void)
{
	return (struct ctl){.timeout_ms = DRB_TELEMETRY_TIMEOUT_MS, .format = DRB_FORMAT_TABLE};
}

void ctl_need_switches(const struct ctl *ctl)
{
	if (ctl->all && ctl->names.count)
		drb_die("--all and '%s': must be one of them", ctl->names.at[0]);
	if (!ctl->all && !ctl->names.count)
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

// True if the switch reports the identity after which the folder of its socket is named.
static bool is_instance(const struct drb_switch_info *info, const char *instance)
{
	char own[DRB_NAME_MAX];

	drb_instance_name(own, info->fabric, (uint32_t)info->layer, (uint32_t)info->label);
	return strcmp(own, instance) == 0;
}

bool ctl_say_state(const struct metrics_switch *s)
{
	char instance[DRB_NAME_MAX], how[CTL_STATE_HOW_MAX];

	if (s->state != CTL_STATE_dead && s->state != CTL_STATE_hung &&
	    s->state != CTL_STATE_stopped)
		return false;
	drb_instance_name(instance, s->fabric, s->layer, s->label);
	ctl_state_how(s, how);
	drb_error("%s: %s%s%s", instance, ctl_state_word(s->state), *how ? ", " : "", how);
	return true;
}

// Reports the state of a switch that does not forward. Asks all other switches, which know since
// when they have missed it. Returns false if its state is not known.
static bool say_state(const struct ctl *ctl, const char *instance)
{
	struct metrics_poller poller = {.runtime = ctl->runtime, .timeout_ms = ctl->timeout_ms};
	struct metrics_poll poll;
	char name[DRB_NAME_MAX];
	bool said = false;

	const int rc = metrics_poll(&poller, &poll);
	for (size_t i = 0; rc == 0 && i < poll.count; i++) {
		const struct metrics_switch *s = &poll.switches[i];
		drb_instance_name(name, s->fabric, s->layer, s->label);
		if (strcmp(name, instance) == 0)
			said = ctl_say_state(s);
	}
	if (rc == 0)
		metrics_poll_free(&poll);
	metrics_poller_close(&poller);
	return said;
}

static void say_no_instance(const struct ctl *ctl, const char *instance)
{
	char other[DRB_FORBIDDEN_MAX];

	if (drb_telemetry_forbidden(ctl->runtime, instance, other))
		drb_error("%s: no permission to read %s, which belongs to another user: try sudo",
			  instance, other);
	else if (!say_state(ctl, instance))
		drb_error("%s: not running", instance);
}

void ctl_say_none(const struct ctl *ctl, const char *instance)
{
	char other[DRB_FORBIDDEN_MAX];

	if (instance)
		say_no_instance(ctl, instance);
	else if (drb_telemetry_forbidden(ctl->runtime, NULL, other))
		drb_error("no running switch is accessible: no permission to read %s, try sudo",
			  other);
	else if (ctl->fabric)
		drb_error("no switch of fabric '%s' is running", ctl->fabric);
	else
		drb_error("no switch is running");
}

// The arguments of ctl_each(), and the switches that it found.
struct visits {
	const struct ctl *ctl;
	struct drb_switch_socket *at; // sockets found; owned
	size_t count;
	ctl_visit visit;
	void *arg;
	char version[32]; // of the switch visited last
};

// Connects to a switch and visits it. Returns 0 or a negative errno.
static int visit_one(struct visits *visits, const struct drb_switch_socket *socket)
{
	struct drb_switch_info info;
	struct drb_telemetry t;
	int rc = drb_telemetry_open(&t, socket->path, visits->ctl->timeout_ms);

	if (rc == 0)
		rc = drb_read_info(&t, &info);
	if (rc == 0 && !is_instance(&info, socket->instance))
		rc = -EPROTO;
	else if (rc == -EOPNOTSUPP)
		rc = -ENOENT; // a DPDK process, but not drbswitch
	else if (rc == 0)
		rc = visits->visit(&t, &info, visits->arg);
	memcpy(visits->version, t.version, sizeof(visits->version));
	drb_telemetry_close(&t);
	return rc;
}

static bool is_running(int rc)
{
	return rc != -ENOENT && rc != -ECONNREFUSED;
}

static void explain(const char *instance, int rc, const char *version)
{
	char text[DRB_TELEMETRY_TEXT_MAX];

	drb_telemetry_explain(rc, version, text);
	drb_error("%s: %s", instance, text);
}

void ctl_say_why(const struct ctl *ctl, const char *instance, int rc, const char *version)
{
	if (!is_running(rc))
		ctl_say_none(ctl, instance);
	else if (rc != -ETIMEDOUT || !say_state(ctl, instance))
		explain(instance, rc, version);
}

static int each_named(struct visits *visits, char *const names[], size_t count)
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
		if (rc < 0) {
			ctl_say_why(visits->ctl, instance, rc, visits->version);
			code = DRB_EXIT_FAILED;
		}
	}
	return code;
}

static int each_running(struct visits *visits)
{
	int code = DRB_EXIT_OK;
	size_t running = 0;

	for (size_t k = 0; k < visits->count; k++) {
		int rc = visit_one(visits, &visits->at[k]);
		running += is_running(rc);
		if (rc < 0 && is_running(rc)) {
			explain(visits->at[k].instance, rc, visits->version);
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

	// Refuse bad names before any switch is asked.
	for (size_t i = 0; names && i < count; i++)
		ctl_must_be_switch(ctl, names[i]);
	int rc = drb_telemetry_scan(ctl->runtime, names ? NULL : ctl->fabric, &visits.at,
				    &visits.count);
	if (rc < 0) {
		drb_error("cannot search for switches: %s", strerror(-rc));
		return DRB_EXIT_FAILED;
	}
	int code = names ? each_named(&visits, names, count) : each_running(&visits);
	free(visits.at);
	return code;
}

struct metrics_poller ctl_poller(const struct ctl *ctl)
{
	const size_t count = ctl->names.count;
	struct metrics_poller poller = {.runtime = ctl->runtime,
					.fabric = count ? NULL : ctl->fabric,
					.timeout_ms = ctl->timeout_ms,
					.only = count ? calloc(count, sizeof(*poller.only)) : NULL,
					.only_count = count};

	if (count && !poller.only)
		drb_die("out of memory");
	for (size_t i = 0; i < count; i++)
		ctl_instance(ctl, ctl->names.at[i], poller.only[i]);
	return poller;
}

static bool is_found(const struct metrics_poll *poll, const char *instance)
{
	char name[DRB_NAME_MAX];

	for (size_t i = 0; i < poll->count; i++) {
		const struct metrics_switch *s = &poll->switches[i];
		drb_instance_name(name, s->fabric, s->layer, s->label);
		if (strcmp(name, instance) == 0)
			return true;
	}
	return false;
}

static bool any_runs(const struct metrics_poll *poll)
{
	for (size_t i = 0; i < poll->count; i++) {
		const struct metrics_switch *s = &poll->switches[i];
		if (s->state != CTL_STATE_dead && s->state != CTL_STATE_stopped &&
		    s->error != -EACCES)
			return true;
	}
	return false;
}

int ctl_poll(const struct ctl *ctl, struct metrics_poller *poller, struct metrics_poll *poll)
{
	char text[CTL_STATES_TEXT_MAX];

	if (metrics_poll(poller, poll) < 0)
		return DRB_EXIT_FAILED;
	bool bad = ctl_states_count(poll, text);
	for (size_t i = 0; i < poller->only_count; i++) {
		if (is_found(poll, poller->only[i]))
			continue;
		ctl_say_none(ctl, poller->only[i]);
		bad = true;
	}
	if (!poller->only_count && !any_runs(poll)) {
		ctl_say_none(ctl, NULL);
		bad = true;
	}
	return bad ? DRB_EXIT_FAILED : DRB_EXIT_OK;
}

void ctl_print_states(const struct ctl *ctl, const struct metrics_poll *poll)
{
	char text[CTL_STATES_TEXT_MAX];

	ctl_states_count(poll, text);
	if (ctl->format == DRB_FORMAT_TABLE && poll->count)
		puts(text);
}
