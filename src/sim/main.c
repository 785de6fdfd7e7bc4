// SPDX-License-Identifier: BSD-3-Clause
// drbsim: the paper's numerical experiments and theory, on the switch's decision core.

#include "common/cli/verbs.h"

#include "sim/runs/ranks.h"
#include "sim/verbs/verbs.h"

const char *argp_program_version = "drbsim " DRB_VERSION;

int main(int argc, char **argv)
{
	static const struct drb_verb verbs[] = {
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
		{"search", "drbsim search", "traffic under which queues grow with one scheme alone",
		 sim_search, "  drbsim search -d 4 --scheme walk,micro --out found\n"},
		{"check-scheme", "drbsim check-scheme",
		 "check that a scheme has the properties of every scheme", sim_check_scheme,
		 "  drbsim check-scheme ./sprinkle.so:k=1\n"},
		{"theory", "drbsim theory", "fixed point of the mean-field equations", sim_theory,
		 "  drbsim theory --threshold 0-5 --lambda 0.9\n"},
		{"ctmc", "drbsim ctmc", "supermarket model compared with its fixed point", sim_ctmc,
		 "  drbsim ctmc --threshold 0-5 --lambda 0.9\n"},
		{"paper", "drbsim paper",
		 "every figure and table of the paper, as CSV, figures and report", sim_paper,
		 "  drbsim paper --quick --out report\n"},
	};

	sim_ranks_begin();
	return drb_verbs_main("Simulates randomized load-balanced routing in fat-trees.", verbs,
			      sizeof(verbs) / sizeof(verbs[0]), argc, argv);
}
