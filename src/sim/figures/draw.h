// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Draws pictures by gnuplot.

#include "sim/figures/script.h"

// Draws all figures of a text (script.h) into the directory, by a script of that name, which stays there.
// 0; -EINVAL, with what is wrong in message; -ENOENT: gnuplot is missing or failed; another -errno.
int sim_figures_draw(FILE *figures, const char *dir, const char *script,
		     char message[SIM_FIGURE_TEXT]);
