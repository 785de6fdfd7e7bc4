// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Pictures as text, and what gnuplot makes of them. Lines, their fields apart by tabs; those of a figure
// follow its first:
//   figure NAME KIND       KIND: lines, points, steps, bars, heat
//   title TEXT             above it
//   caption TEXT           for the page that shows it
//   x TEXT [log]           titles of the axes, and whether they are logarithmic
//   y TEXT [log] [LOW]     LOW: where the axis begins
//   panel TEXT             what follows is drawn beside, under the same titles; without one: one panel
//   series LABEL LOOK [dashed|untitled]
//                          LOOK: a scheme, "ink", or a number from 1 on (style.h)
//   point X Y [HALF [grows]]
//                          half the width of its interval; grows: queues did, the figure is no mean.
//                          X of bars is a name. Of heat: X Y VALUE.

#include <stdbool.h>
#include <stdio.h>

#define SIM_FIGURE_NAME 64
#define SIM_FIGURE_TEXT 256
#define SIM_FIGURE_LINE 1024

// Reads figures and writes the script that draws NAME.svg and NAME.pdf of each. 0, or -EINVAL with what is
// wrong in message, beginning with the number of the line.
int sim_figures_script(FILE *figures, FILE *script, char message[SIM_FIGURE_TEXT]);

// Calls each(context, name) of every figure of the text.
void sim_figures_each(FILE *figures, void (*each)(void *context, const char *name), void *context);
// The caption of a figure; false: there is none.
bool sim_figures_caption(FILE *figures, const char *name, char caption[SIM_FIGURE_LINE]);
