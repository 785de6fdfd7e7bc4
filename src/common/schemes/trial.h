// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What every scheme must keep, whoever wrote it: uplinks that there are, none that is dead, marks within their bits,
// memory within its size, the same decisions from the same numbers.

#include "drb/scheme.h"

#define DRB_TRIAL_WHY 160

// Octets of state of one switch, at most.
#define DRB_SCHEME_STATE_MAX (64 << 20)

// 0, or -EINVAL with what the scheme did wrong. A broken one may crash or never return: try it in a child process.
int drb_scheme_trial(const struct drb_scheme_ops *ops, char why[DRB_TRIAL_WHY]);
