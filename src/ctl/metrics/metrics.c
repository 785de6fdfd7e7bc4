// SPDX-License-Identifier: BSD-3-Clause
// drbctl metrics: the counters of running switches as text for monitoring systems.
#include "ctl/verbs.h"

#include <errno.h>
#include <string.h>

#include "common/cli/args.h"
#include "common/cli/log.h"
#include "ctl/ctl.h"
#include "ctl/metrics/exposition.h"

int ctl_metrics(int argc, char **argv)
{
	static const struct argp_child children[] = {{&ctl_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {
		.parser = drb_args_parse_child,
		.doc = "Prints the counters of all running switches, or of those of --fabric, for "
		       "Prometheus and what reads its format: for its node exporter, a cron job "
		       "or promtool. A switch that does not answer has drb_up 0. Exit status 1 if "
		       "no switch is running.",
		.children = children};
	struct ctl ctl = ctl_defaults();
	struct metrics_poll poll;

	ctl.timeout_ms = DRB_TELEMETRY_PROMPT_MS;
	drb_args_parse(&argp, argc, argv, 0, &ctl);
	struct metrics_poller poller = {
		.runtime = ctl.runtime, .fabric = ctl.fabric, .timeout_ms = ctl.timeout_ms};
	int rc = metrics_poll(&poller, &poll);
	metrics_poller_close(&poller);
	if (rc < 0) {
		drb_error("cannot look for switches: %s", strerror(-rc));
		return DRB_EXIT_FAILED;
	}
	if (!metrics_write(stdout, &poll))
		drb_die("out of memory");
	bool found = poll.count > 0;
	metrics_poll_free(&poll);
	if (!found)
		ctl_say_none(&ctl, NULL);
	return found ? DRB_EXIT_OK : DRB_EXIT_FAILED;
}
