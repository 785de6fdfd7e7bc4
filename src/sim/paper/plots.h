// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The figures of `drbsim paper` as pictures.

#include "sim/paper/paper.h"

// Draws DIR/*.svg; clears p->plots, with a warning, if gnuplot is missing.
void paper_plots(struct paper *p);
