// SPDX-License-Identifier: BSD-3-Clause
// drbctl: reads the counters of running switches over their telemetry sockets, and gives them
// orders.

#include "common/cli/verbs.h"

#include "ctl/verbs.h"

const char *argp_program_version = "drbctl " DRB_VERSION;

int main(int argc, char **argv)
{
	static const struct drb_verb verbs[] = {
		{"list", "drbctl list", "running switches and what is wrong with them", ctl_list},
		{"show", "drbctl show", "counters and settings of switches", ctl_show},
		{"path", "drbctl path", "the way of packets between two hosts, and its queues",
		 ctl_path},
		{"watch", "drbctl watch", "rates of switches, at every interval", ctl_watch},
		{"check", "drbctl check", "check that packets in = out + dropped + queued",
		 ctl_check},
		{"metrics", "drbctl metrics", "counters of all switches for Prometheus",
		 ctl_metrics},
		{"serve", "drbctl serve", "a live map in the browser, metrics over HTTP",
		 ctl_serve},
		{"reload", "drbctl reload", "make switches read their configs again", ctl_reload},
		{"set", "drbctl set", "give switches another scheme or threshold", ctl_set},
		{"drain", "drbctl drain", "take switches or ports out of use without loss",
		 ctl_drain},
		{"undrain", "drbctl undrain", "put them back into use", ctl_undrain},
	};

	return drb_verbs_main(
		"Shows the counters of running drbswitch processes; reloads and drains them.",
		verbs, sizeof(verbs) / sizeof(verbs[0]), argc, argv);
}
