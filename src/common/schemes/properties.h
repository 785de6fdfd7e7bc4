// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The properties that every scheme must have.

#include "common/schemes/rig.h"

struct drb_property {
	const char *name, *promise;
	bool by_chance; // a correct scheme fails it once in ten thousand runs
	// False if the scheme does not promise the property. NULL: all schemes promise it.
	bool (*is_promised)(const struct drb_scheme_ops *ops);
	// Checks a decision and its result: 0 or -EINVAL. If seldom is set, only one in `seldom` of
	// the wanted number of decisions is made. NULL: see whole.
	int (*each)(struct drb_rig *rig, uint32_t up, const struct drb_decision *d,
		    char why[DRB_TRIAL_WHY]);
	uint32_t seldom;
	int (*whole)(const struct drb_scheme_variant *v, uint32_t decisions,
		     char why[DRB_TRIAL_WHY]);
};

// For complete schemes (trial.h). The last entry has no name.
extern const struct drb_property drb_properties[];
// Returns 0, or a negative errno with the counter-example in why. Tries this number of decisions on
// each kind of switch. A broken scheme may crash or never return: call it in a child process.
int drb_property_holds(const struct drb_property *p, const struct drb_scheme_variant *v,
		       uint32_t decisions, char why[DRB_TRIAL_WHY]);

// Sets up the scheme at a switch of each kind, because its state may be too large. Call it in a
// child process, too.
int drb_scheme_begins(const struct drb_scheme_variant *v, char why[DRB_TRIAL_WHY]);

int drb_scheme_repeats(const struct drb_scheme_variant *v, uint32_t decisions,
		       char why[DRB_TRIAL_WHY]);
int drb_scheme_has_one_rule(const struct drb_scheme_variant *v, uint32_t decisions,
			    char why[DRB_TRIAL_WHY]);
int drb_scheme_is_uniform(const struct drb_scheme_variant *v, uint32_t decisions,
			  char why[DRB_TRIAL_WHY]);

// The kinds of switches on which properties are tried, those with as_switch false first. The last
// has no arity.
extern const struct drb_rig_kind drb_rig_kinds[];
