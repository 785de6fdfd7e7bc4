// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Options with lists of values, and the points that these describe.

#include "sim/engine/verb.h"

struct sim_values {
	const struct drb_option *option;
	const char *key, *list; // `list`: as given, or the default
	bool by_name;           // the user named the values: points that do not fit are errors
	char **value;           // owned
	uint32_t count;
};

struct sim_sweeps {
	const struct sim_verb *verb;
	void *base; // a point with all other options; owned by the caller
	struct sim_values values[SIM_SWEEPS_MAX];
	uint32_t count;
	uint64_t *place; // [point]: its index in the product of the lists; owned
	uint64_t points;
};

// Splits the lists. Leaves out points that do not fit, unless the user named their values. Ends the
// process if a list is wrong.
void sim_sweeps_begin(struct sim_sweeps *sweeps);
void sim_sweeps_end(struct sim_sweeps *sweeps);
// Point i, checked, with a seed that is `run` above that of the base. The caller frees it.
void *sim_sweeps_point(const struct sim_sweeps *sweeps, uint64_t i, uint32_t run);
// The first point, if all points differ in their schemes alone. Otherwise ends the process.
void *sim_sweeps_only_point(const struct sim_sweeps *sweeps);
