// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The properties that every scheme must have.

#include "common/schemes/rig.h"

struct drb_property {
	const char *name, *promise;
	bool by_chance; // a good scheme fails it once in ten thousand
	// False: the scheme does not promise it. NULL: all do.
	bool (*is_promised)(const struct drb_scheme_ops *ops);
	// Of each decision and what came of it, or of one in `seldom` of as many as are wanted: 0 or -EINVAL. NULL: see whole.
	int (*each)(const struct drb_rig *rig, uint32_t up, const struct drb_decision *d,
		    char why[DRB_TRIAL_WHY]);
	uint32_t seldom;
	int (*whole)(const struct drb_scheme_variant *v, uint32_t decisions,
		     char why[DRB_TRIAL_WHY]);
};

// Of a scheme that is whole (trial.h). The last has no name.
extern const struct drb_property drb_properties[];
// 0, or a negative errno with the counter-example in why. Tries so many decisions on each kind of switch. A broken
// scheme may crash or never return: in a child process.
int drb_property_holds(const struct drb_property *p, const struct drb_scheme_variant *v,
		       uint32_t decisions, char why[DRB_TRIAL_WHY]);

int drb_scheme_repeats(const struct drb_scheme_variant *v, uint32_t decisions,
		       char why[DRB_TRIAL_WHY]);
int drb_scheme_has_one_rule(const struct drb_scheme_variant *v, uint32_t decisions,
			    char why[DRB_TRIAL_WHY]);
int drb_scheme_is_uniform(const struct drb_scheme_variant *v, uint32_t decisions,
			  char why[DRB_TRIAL_WHY]);

// The kinds of switches on which properties are tried, those with as_switch false first; the last has no arity.
extern const struct drb_rig_kind drb_rig_kinds[];
