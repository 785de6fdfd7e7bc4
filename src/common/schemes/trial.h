// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Tries a loaded scheme before it is used: a few decisions for each property that every scheme must have.

#include "common/schemes/properties.h"

// What is wrong with it, as far as it can be seen without a call; NULL: nothing.
const char *drb_scheme_flaw(const struct drb_scheme_ops *ops);
// 0, or -EINVAL with what the scheme did wrong. A broken one may crash or never return: try it in a child process.
int drb_scheme_trial(const struct drb_scheme_variant *v, char why[DRB_TRIAL_WHY]);
