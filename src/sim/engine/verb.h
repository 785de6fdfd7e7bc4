// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A model as a verb of the command line. Options that take lists become many points, whose rows are
// printed in order as soon as they are done.

#include "sim/engine/model.h"

#define SIM_SWEEPS_MAX 3
#define SIM_KEYS_MAX 4

// An option that takes a list, such as "0.6:0.9:0.1" or "drb,ecmp".
struct sim_sweep {
	const char *key;
	const char *initial; // the default list
	bool partly;         // points of the default list that do not fit are left out
};

struct sim_verb {
	const struct sim_model *model;
	const char *what; // the kind of work, for the progress line
	const char *doc;
	struct sim_sweep sweep[SIM_SWEEPS_MAX + 1]; // the outermost loop first
	uint32_t runs;                              // default of --runs; 0: the verb has no --runs
	// The part whose rows are always printed; NULL: none.
	const char *part;
	const char *hidden[SIM_KEYS_MAX + 1]; // keys of options that the verb does not offer
	// A flag that prints a point by print() instead of running points. print() returns the exit
	// status. NULL: no flag.
	const struct drb_option *instead;
	int (*print)(void *point);
};

int sim_verb_main(const struct sim_verb *verb, int argc, char **argv);
