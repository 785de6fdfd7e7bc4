// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Files that `drbsim paper` writes.

#include <stdio.h>

#include "sim/paper/paper.h"

// Opens DIR/name for writing, or dies.
FILE *paper_open(const struct paper *p, const char *name);
void paper_close(const struct paper *p, FILE *f, const char *name);
