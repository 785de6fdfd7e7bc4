// SPDX-License-Identifier: BSD-3-Clause
// Models as verbs: their options with lists, and the defaults of these.
#include "sim/verbs/verbs.h"

#include <stdio.h>

#include "core/schemes/schemes.h"

#include "common/cli/log.h"

#include "sim/engine/verb.h"
#include "sim/points/models.h"
#include "sim/points/transfer_lists.h"

int sim_packet(int argc, char **argv)
{
	char doc[2048];
	const struct sim_verb verb = {
		.model = &sim_packet_model,
		.what = "simulating packets",
		.doc = doc,
		.sweep = {{"scheme", "drb", false}, {"load", "0.6:0.99:0.03", false}},
		.hidden = {"queues"},
		.runs = 1};

	snprintf(doc, sizeof(doc),
		 "Simulates packets slot by slot.\v"
		 "Schemes:\n%s"
		 "Traffic: permutation (a fresh one every slot), fixed (one for the run), "
		 "random, mixed (half of the hosts fixed), stride:K, tornado, all-to-all, "
		 "transpose, reversal, hotspot:K, incast:K, racks:F (a share F of the racks "
		 "fixed), turns:C (C permutations in turn), epoch:S (a new one every S "
		 "slots), trains:S (each host keeps its destination for S slots), jobs:K (K groups "
		 "of hosts, each with its own), oneway:F:A (half of the "
		 "pods send, the others answer a share A), sink:F (a pod only receives), silent:F "
		 "(a share F of the racks is silent), idle:F (a share F of the hosts), unequal:F "
		 "(all but a share F send little), "
		 "file:PATH.",
		 drb_schemes_help());
	return sim_verb_main(&verb, argc, argv);
}

int sim_flow(int argc, char **argv)
{
	static const struct sim_verb verb = {
		.model = &sim_flow_model,
		.what = "simulating flows",
		.doc = "Assigns c flows of every host to uplinks and reports the busiest link.",
		.sweep = {{"scheme", "drb", false}, {"flows", "1-20", false}},
	};

	return sim_verb_main(&verb, argc, argv);
}

// Prints a list that a model made. rc: the model's result.
static int print_list(struct drb_list *list, int rc)
{
	const char *wrong = drb_list_wrong(rc);

	if (wrong)
		drb_die("--list: %s", wrong);
	drb_list_print(list, stdout);
	drb_list_free(list);
	return DRB_EXIT_OK;
}

static int print_transfers(void *point)
{
	struct drb_list list = {0};

	return print_list(&list, sim_transfer_list(point, &list));
}

static int print_job(void *point)
{
	struct drb_list list = {0};

	return print_list(&list, sim_job_list(point, &list));
}

static const struct drb_option list_option[] = {
	{"--list", NULL, "Only print the transfers of the first run, for drbsim replay",
	 .kind = DRB_OPTION_FLAG, 0},
	{0},
};

int sim_transfer(int argc, char **argv)
{
	static const struct sim_verb verb = {
		.model = &sim_transfer_model,
		.what = "simulating transfers",
		.doc = "Simulates transfers between random hosts: completion times and slowdowns.\v"
		       "Prints a row for all transfers of a scheme and load, and one for each "
		       "class "
		       "of sizes (limits 100 kB and 10 MB in packets of 1460 bytes). Columns "
		       "NAME_half are half of the 95 % interval over --runs (Student's t). A file "
		       "of sizes has lines packets,share: this share of the transfers has at most "
		       "so many packets.",
		.sweep = {{"scheme", "drb", false}, {"load", "0.3,0.5,0.7", false}},
		.runs = 1,
		.part = "classes",
		.hidden = {"classes", "timer_each"},
		.instead = list_option,
		.print = print_transfers,
	};

	return sim_verb_main(&verb, argc, argv);
}

int sim_job(int argc, char **argv)
{
	static const struct sim_verb verb = {
		.model = &sim_job_model,
		.what = "simulating jobs",
		.doc = "Simulates jobs in which all hosts exchange data, and prints their "
		       "durations.\v"
		       "Jobs: all-reduce-ring, all-reduce-halving (recursive halving and "
		       "doubling), "
		       "all-to-all, incast (all to one), pipeline:PARTS. Alone: the time it would "
		       "take if no transfer waited for another one on a link. By default, jobs "
		       "that "
		       "do not fit the fabric are left out. Columns NAME_half are half of the 95 % "
		       "interval over --runs (Student's t).",
		.sweep = {{"job", "all-reduce-ring,all-to-all,all-reduce-halving", true},
			  {"scheme", "drb", false}},
		.runs = 5,
		.hidden = {"timer_each"},
		.instead = list_option,
		.print = print_job,
	};

	return sim_verb_main(&verb, argc, argv);
}

int sim_replay(int argc, char **argv)
{
	static const struct sim_verb verb = {
		.model = &sim_list_model,
		.what = "replaying transfers",
		.doc = "Simulates the transfers of a list, and prints completion time and slowdown "
		       "of each.\v"
		       "Lines of a list, the first one the heading: " DRB_LIST_HEADING ". A "
		       "transfer begins in this slot, but not before transfer after_sent has left "
		       "the same host and transfer after_arrived has arrived there. Both are "
		       "earlier transfers, or empty. Connection matrices of htsim (.cm) and "
		       "schedules of GOAL are read, too. Column transfer is the place of a "
		       "transfer "
		       "in the list, from 0 on, whatever ids the list gives.",
		.sweep = {{"scheme", "drb", false}},
		.part = "transfers",
		.hidden = {"transfers", "timer_each", "from", "until"},
	};

	return sim_verb_main(&verb, argc, argv);
}

#define LAMBDAS "0.5,0.7,0.9,0.95,0.99"

int sim_theory(int argc, char **argv)
{
	static const struct sim_verb verb = {
		.model = &sim_theory_model,
		.what = "solving equations",
		.doc = "Solves the mean-field equations of threshold-based two-choice queues.",
		.sweep = {{"threshold", "0-5", false}, {"lambda", LAMBDAS, false}},
	};

	return sim_verb_main(&verb, argc, argv);
}

int sim_ctmc(int argc, char **argv)
{
	static const struct sim_verb verb = {
		.model = &sim_ctmc_model,
		.what = "simulating queues",
		.doc = "Simulates the supermarket model and compares it with its fixed point.",
		.sweep = {{"threshold", "0-5", false}, {"lambda", LAMBDAS, false}},
		.runs = 1,
	};

	return sim_verb_main(&verb, argc, argv);
}
