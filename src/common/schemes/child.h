// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Runs code that may crash or never return in a child process.

#include "common/schemes/load.h"

// Runs it in a child. 0: it left why empty; -EINVAL: it did not, or it crashed, did not return within so long or ended the
// process, which why says then.
int drb_child_run(void (*run)(void *context, char why[DRB_SCHEME_WHY]), void *context,
		  uint32_t patience_ms, char why[DRB_SCHEME_WHY]);
