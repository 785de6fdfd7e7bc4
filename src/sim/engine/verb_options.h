// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Parses the command line of a verb by the options of its model.

#include "common/cli/table.h"

#include "sim/engine/limits.h"
#include "sim/engine/sweep.h"

#define SIM_VERB_OPTIONS_MAX 64

struct sim_verb_options {
	struct sim_limits limits;
	enum drb_format format;
	uint32_t runs;
	bool each, instead;
	// Private: copies of the model's options, changed for this verb, and the help texts of
	// these copies.
	struct drb_option option[SIM_VERB_OPTIONS_MAX];
	char *help[SIM_VERB_OPTIONS_MAX];
	uint32_t options;
};

// Fills in `options`, the lists of `sweeps` and their base point. Ends the process if the command
// line is wrong.
void sim_verb_parse(const struct sim_verb *verb, struct sim_sweeps *sweeps,
		    struct sim_verb_options *options, int argc, char **argv);
void sim_verb_options_free(struct sim_verb_options *options);
