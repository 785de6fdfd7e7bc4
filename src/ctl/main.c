// SPDX-License-Identifier: BSD-3-Clause
// drbctl: reads the counters of running switches over their stats sockets, and sends them orders.

#include "common/cli/verbs.h"

#include "ctl/verbs.h"

const char *argp_program_version = "drbctl " DRB_VERSION;

int main(int argc, char **argv)
{
	static const struct drb_verb verbs[] = {
		{"list", "drbctl list", "running switches and their trouble", ctl_list,
		 "  drbctl list\n"
		 "  drbctl list --fabric big --json\n"},
		{"show", "drbctl show", "counters and settings of switches", ctl_show,
		 "  drbctl show s1-0\n"
		 "  drbctl show s1-0 s2-1 drops\n"
		 "  drbctl show --all routing --json\n"},
		{"path", "drbctl path", "path of packets between two hosts, and its queues",
		 ctl_path, "  drbctl path h0 h7\n"},
		{"trace", "drbctl trace", "paths that packets of a flow take now", ctl_trace,
		 "  drbctl trace h0 h7\n"
		 "  drbctl trace h0 h7 tcp:40000:5201 --time 5s\n"},
		{"watch", "drbctl watch", "rates of switches, once an interval", ctl_watch,
		 "  drbctl watch\n"
		 "  drbctl watch s1-0 --interval 200ms\n"},
		{"check", "drbctl check", "check that packets are conserved", ctl_check,
		 "  drbctl check\n"},
		{"events", "drbctl events", "events at switches, as they happen", ctl_events,
		 "  drbctl events\n"
		 "  drbctl events --json --count 1\n"},
		{"capture", "drbctl capture", "packets at the ports of a switch, as pcapng",
		 ctl_capture,
		 "  drbctl capture s1-0\n"
		 "  drbctl capture s1-0.u0 -w u0.pcapng udp\n"},
		{"metrics", "drbctl metrics", "counters of all switches for Prometheus",
		 ctl_metrics, "  drbctl metrics\n"},
		{"serve", "drbctl serve", "live map in a browser, metrics over HTTP", ctl_serve,
		 "  drbctl serve\n"
		 "  drbctl serve --listen 127.0.0.1:8080\n"},
		{"record", "drbctl record", "record the live map to a file for playback",
		 ctl_record,
		 "  drbctl record run.ndjson\n"
		 "  drbctl record --html run.html --time 60s\n"},
		{"reload", "drbctl reload", "make switches read their configs again", ctl_reload,
		 "  drbctl reload s1-0\n"},
		{"set", "drbctl set", "change scheme, threshold and other keys of routing", ctl_set,
		 "  drbctl set --all scheme=walk threshold=3\n"},
		{"drain", "drbctl drain", "take switches or ports out of use without loss",
		 ctl_drain,
		 "  drbctl drain s1-3.u0\n"
		 "  drbctl drain s2-1\n"},
		{"undrain", "drbctl undrain", "put drained switches or ports back into use",
		 ctl_undrain, "  drbctl undrain s2-1\n"},
		{"down", "drbctl down", "take ports down, as if cables were cut", ctl_down,
		 "  drbctl down s1-3.u0\n"},
		{"up", "drbctl up", "put such ports up again", ctl_up, "  drbctl up s1-3.u0\n"},
	};

	return drb_verbs_main(
		"Shows the counters of running drbswitch processes; reloads and drains them.",
		verbs, sizeof(verbs) / sizeof(verbs[0]), argc, argv);
}
