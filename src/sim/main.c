// SPDX-License-Identifier: BSD-3-Clause
// drbsim: the paper's numerical experiments and theory, on the switch's decision core.

#include <string.h>

#include "common/cli/log.h"
#include "common/cli/verbs.h"

#include "sim/verbs/verbs.h"

const char *argp_program_version = "drbsim " DRB_VERSION;

int main(int argc, char **argv)
{
	static const struct drb_verb verbs[] = {
		{"run", "drbsim run", "points as lines of JSON, rows as they are done", sim_run,
		 "  drbsim run points.jsonl >rows.jsonl\n"},
		{"flow", "drbsim flow", "the busiest link under permutation flows", sim_flow,
		 "  drbsim flow -d 8 --scheme drb,ecmp --flows 1-10\n"},
		{"packet", "drbsim packet", "latency and queues of packets, slot by slot",
		 sim_packet,
		 "  drbsim packet -d 8 --scheme drb,dmodk --load 0.9\n"
		 "  drbsim packet -d 8 --scheme drb,walk --load 0.9 --traffic fixed\n"},
		{"transfer", "drbsim transfer", "completion times of transfers between hosts",
		 sim_transfer,
		 "  drbsim transfer -d 4 --scheme drb,walk,ecmp --sizes websearch --load 0.5\n"},
		{"job", "drbsim job", "duration of all-reduce, all-to-all and other jobs", sim_job,
		 "  drbsim job -d 4 --scheme all --job all-reduce-ring --data 4096\n"},
		{"replay", "drbsim replay", "completion times of transfers in a list", sim_replay,
		 "  drbsim replay list --scheme drb,ecmp --csv\n"},
		{"check-scheme", "drbsim check-scheme",
		 "check that a scheme has the properties of every scheme", sim_check_scheme,
		 "  drbsim check-scheme ./sprinkle.so:k=1\n"},
		{"theory", "drbsim theory", "fixed point of the mean-field equations", sim_theory,
		 "  drbsim theory --threshold 0-5 --lambda 0.9\n"},
		{"ctmc", "drbsim ctmc", "supermarket model compared with its fixed point", sim_ctmc,
		 "  drbsim ctmc --threshold 0-5 --lambda 0.9\n"},
	};

	if (argc > 1 && (strcmp(argv[1], "search") == 0 || strcmp(argv[1], "paper") == 0))
		drb_die("%s has moved: call drblab %s (in a checkout: lab/run %s)", argv[1],
			argv[1], argv[1]);
	return drb_verbs_main("Simulates randomized load-balanced routing in fat-trees.", verbs,
			      sizeof(verbs) / sizeof(verbs[0]), argc, argv);
}
