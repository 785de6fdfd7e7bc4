// SPDX-License-Identifier: BSD-3-Clause
// drbgen: writes traffic as captures, replays captures into a fabric and measures what arrives.

#include "common/cli/verbs.h"

#include "gen/verbs.h"

const char *argp_program_version = "drbgen " DRB_VERSION;

int main(int argc, char **argv)
{
	static const struct drb_verb verbs[] = {
		{"write", "drbgen write", "write a traffic pattern as one capture file per host",
		 gen_write,
		 "  drbgen write --load 0.9 --slots 2000 --out traffic\n"
		 "  drbgen write -d 4 --traffic fixed --out traffic\n"},
		{"replay", "drbgen replay", "send captures into a running fabric, measure arrivals",
		 gen_replay,
		 "  drbgen replay traffic\n"
		 "  drbgen replay capture.pcapng --multiplier 2\n"},
	};

	return drb_verbs_main(
		"Generates traffic for fat-trees of drbswitch processes and measures it.", verbs,
		sizeof(verbs) / sizeof(verbs[0]), argc, argv);
}
