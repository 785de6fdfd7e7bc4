// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Options that the verbs of drbsim share.

#include <stdbool.h>
#include <stdint.h>

#include "core/fabric/tree.h"
#include "core/routing/choice.h"
#include "core/schemes/schemes.h"

#include "common/cli/format_option.h"
#include "common/cli/options.h"
#include "common/cli/quantity.h"
#include "common/cli/table.h"

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
	enum drb_scheme scheme[DRB_SCHEMES_MAX];
	uint32_t schemes;
	uint32_t choices;
	double threshold; // NaN: the paper's
	bool all;         // "all" schemes were asked for, not these by name
};

// The options of these structs, as sets of drb_options_parse() that take what sim_*_default() makes.
extern const struct drb_option sim_common_options[], sim_fabric_options[];
// clang-format off
#define SIM_COMMON_SETS(common)                                                                    \
	{.option = sim_common_options, common}, {.option = drb_format_options, &(common)->format}
#define SIM_FABRIC_SET(fabric) {.option = sim_fabric_options, fabric, sim_fabric_complete}
// clang-format on
struct sim_common sim_common_default(void);
struct sim_fabric sim_fabric_default(void);
void sim_fabric_complete(void *fabric);

// T and choices of a scheme: its own, or those of all. NaN: the paper's T.
double sim_threshold(const struct sim_fabric *f, enum drb_scheme scheme);
uint32_t sim_choices(const struct sim_fabric *f, enum drb_scheme scheme);

// Schemes that route packets alone are refused with this cure, or left out if all were asked for.
void sim_schemes_of_flows(struct sim_fabric *f, const char *cure);

// The load of uplinks that the paper's T of a scheme goes by when hosts send at this load. Where uplinks cannot
// carry so much there is no such T: it dies; or it is 0, where a T was asked for or the scheme has none.
double sim_uplink_load(const struct sim_fabric *f, enum drb_scheme scheme, double load);

// List of reals of an option, all in [min, max]; dies naming the option if it is not.
struct drb_reals sim_reals(const char *option, const char *text, double min, double max);
// Parsers of options: such a list, from the least to the most; and one without these two.
void sim_parse_reals(const struct drb_option *o, const char *text, void *list);
void sim_parse_shares(const struct drb_option *o, const char *text, void *list);

// Runs that fit into memory at once, at most `threads`; dies if one alone does not fit.
uint32_t sim_threads_that_fit(const struct sim_common *common, uint64_t bytes_per_run,
			      const struct drb_tree *t);
