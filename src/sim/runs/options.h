// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Options that the verbs of drbsim share.

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/fabric/tree.h"
#include "core/routing/threshold_two_choice.h"

#include "common/cli/quantity.h"
#include "common/cli/table.h"

#include "sim/models/slow.h"

// Options of every verb: --seed, --threads, --memory, --csv, --json.
struct sim_common {
	uint64_t seed;
	uint32_t threads; // at once
	uint64_t memory;  // bytes all runs together may take
	enum drb_format format;
};
// Options of verbs that simulate a fabric: -l, -d, --uplinks, --scheme, --choices, --threshold.
struct sim_fabric {
	uint32_t layers, arity;
	uint32_t uplinks; // of a switch of layer 1; as asked for, 0: not
	struct drb_tree tree;
	enum drb_scheme scheme[DRB_SCHEME_COUNT];
	uint32_t schemes;
	uint32_t choices;
	double threshold; // NaN: the paper's
	bool all;         // "all" schemes were asked for, not these by name
};

// Children of a verb's argp; their inputs are the structs above, set up by sim_*_default().
extern const struct argp sim_common_argp, sim_fabric_argp;
struct sim_common sim_common_default(void);
struct sim_fabric sim_fabric_default(void);

// The load of uplinks that the paper's T of a scheme goes by when hosts send at this load. Where uplinks cannot
// carry so much there is no such T: it dies; or it is 0, where a T was asked for or the scheme has none.
double sim_uplink_load(const struct sim_fabric *f, enum drb_scheme scheme, double load);

// List of reals of an option, all in [min, max]; dies naming the option if it is not.
struct drb_reals sim_reals(const char *option, const char *text, double min, double max);
// The same with both ends excluded.
struct drb_reals sim_reals_between(const char *option, const char *text, double min, double max);

// Option --slow, its value and that there are so many links; these die if it is wrong.
#define SIM_OPTION_SLOW(key, group)                                                                \
	{                                                                                          \
		"slow", key, "link:N:K", 0,                                                        \
			"A packet takes K slots on N of the links between switches, at random, "   \
			"both ways",                                                               \
			group                                                                      \
	}
struct drb_slow sim_slow(const char *text);
void sim_slow_fits(struct drb_slow slow, const struct drb_tree *t);

// Runs that fit into memory at once, at most `threads`; dies if one alone does not fit.
uint32_t sim_threads_that_fit(const struct sim_common *common, uint64_t bytes_per_run,
			      const struct drb_tree *t);
