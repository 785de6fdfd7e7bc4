// SPDX-License-Identifier: BSD-3-Clause
// drbctl metrics: the counters of running switches as text for monitoring systems.
#include "ctl/verbs.h"

#include <errno.h>
#include <string.h>

#include "common/cli/args.h"
#include "common/cli/log.h"
#include "ctl/ctl.h"
#include "ctl/metrics/exposition.h"

enum { KEY_OPENMETRICS = 0x200 };

struct options {
	struct ctl ctl;
	enum metrics_format format;
};

static const struct argp_option option_table[] = {
	{"openmetrics", KEY_OPENMETRICS, NULL, 0,
	 "Print OpenMetrics 1.0 instead of the Prometheus text format 0.0.4", 0},
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->ctl;
		return 0;
	case KEY_OPENMETRICS:
		o->format = METRICS_OPENMETRICS;
		return 0;
	case ARGP_KEY_ARG:
		drb_die("'%s' is one argument too many", arg);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int ctl_metrics(int argc, char **argv)
{
	static const struct argp_child children[] = {{&ctl_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {
		.options = option_table,
		.parser = parse,
		.doc = "Prints the counters of all running switches, or of those of --fabric, for "
		       "Prometheus and what reads its formats: for its node exporter, a cron job "
		       "or promtool. A switch that does not answer has drb_up 0. Exit status 1 if "
		       "no switch is running.",
		.children = children};
	struct options o = {.ctl = ctl_defaults(), .format = METRICS_PROMETHEUS};
	struct metrics_poll poll;

	o.ctl.timeout_ms = DRB_TELEMETRY_PROMPT_MS;
	drb_args_parse(&argp, argc, argv, 0, &o);
	struct metrics_poller poller = {
		.runtime = o.ctl.runtime, .fabric = o.ctl.fabric, .timeout_ms = o.ctl.timeout_ms};
	int rc = metrics_poll(&poller, &poll);
	metrics_poller_close(&poller);
	if (rc < 0) {
		drb_error("cannot look for switches: %s", strerror(-rc));
		return DRB_EXIT_FAILED;
	}
	if (!metrics_write(stdout, o.format, &poll))
		drb_die("out of memory");
	bool found = poll.count > 0;
	metrics_poll_free(&poll);
	if (!found)
		ctl_say_none(&o.ctl, NULL);
	return found ? DRB_EXIT_OK : DRB_EXIT_FAILED;
}
