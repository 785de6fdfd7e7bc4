// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Runs code that may crash or never return in a child process.

#include "common/schemes/load.h"

// 0 if the code left why empty. -EINVAL if it wrote why, crashed or ended the process. -ETIMEDOUT
// if it did not return within patience_ms, or slept for a second. why then names the reason, and
// the member of the scheme that a rig (rig.h) called.
int drb_child_run(void (*run)(void *context, char why[DRB_SCHEME_WHY]), void *context,
		  uint32_t patience_ms, char why[DRB_SCHEME_WHY]);
