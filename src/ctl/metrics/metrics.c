// SPDX-License-Identifier: BSD-3-Clause
// drbctl metrics: the counters of running switches as text for monitoring systems.
#include "ctl/verbs.h"

#include "common/cli/log.h"
#include "common/cli/options.h"
#include "ctl/ctl.h"
#include "ctl/metrics/exposition.h"

int ctl_metrics(int argc, char **argv)
{
	struct ctl ctl = ctl_defaults();
	struct metrics_poll poll;
	const struct drb_options sets[] = {CTL_SET(&ctl), {0}};

	ctl.timeout_ms = DRB_TELEMETRY_PROMPT_MS;
	drb_options_parse(
		sets,
		"Prints the counters of all running switches, or of those of --fabric, in the "
		"format of Prometheus: for its node exporter, a cron job or promtool. A switch "
		"that does not answer has drb_up 0. Exit status 1 if no switch is running.",
		argc, argv);
	struct metrics_poller poller = ctl_poller(&ctl);
	int rc = metrics_poll(&poller, &poll);
	metrics_poller_close(&poller);
	if (rc < 0)
		return DRB_EXIT_FAILED;
	if (!metrics_write(stdout, &poll))
		drb_die("out of memory");
	bool found = poll.count > 0;
	metrics_poll_free(&poll);
	if (!found)
		ctl_say_none(&ctl, NULL);
	return found ? DRB_EXIT_OK : DRB_EXIT_FAILED;
}
