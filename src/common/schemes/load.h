// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Schemes as users write them: "NAME[:KEY=VALUE]..." of the table, or "PATH/x.so[:KEY=VALUE]..." of a shared object that
// ends with DRB_SCHEME() (include/drb/scheme.h). KEY is threshold or choices, for schemes with a threshold, or a parameter of the
// scheme. A shared object is tried out in a child process before it is used (trial.h).

#include "core/schemes/schemes.h"

#define DRB_SCHEME_WHY 256

// 0; -EINVAL with what is wrong and how to mend it. The same text gives the same scheme. One thread at a time.
int drb_scheme_of_text(const char *text, enum drb_scheme *scheme, char why[DRB_SCHEME_WHY]);
