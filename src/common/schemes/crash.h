// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A loaded scheme that crashes ends its program. The program then names the scheme.

#include "drb/scheme.h"

// If the process gets a signal such as SIGSEGV while this scheme runs, a line on standard error
// names the shared object, the signal and the place. path must stay valid. Not for threads.
void drb_scheme_crash_watch(const char *path, const struct drb_scheme_ops *ops);
