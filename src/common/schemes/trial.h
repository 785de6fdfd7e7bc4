// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Tries a loaded scheme before it is used: a few decisions for each property that every scheme must
// have.

#include "common/schemes/properties.h"

// An error of the scheme that is visible without calling it; NULL: none is.
const char *drb_scheme_flaw(const struct drb_scheme_ops *ops);
// Returns 0, or -EINVAL with the scheme's error in why. A broken scheme may crash or never return:
// call it in a child process.
int drb_scheme_trial(const struct drb_scheme_variant *v, char why[DRB_TRIAL_WHY]);
