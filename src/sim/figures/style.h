// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// One look for all pictures: a scheme has one colour and one mark wherever it is drawn.

#include <stdint.h>

#define SIM_INK "black" // of axes and of what is no scheme; light where the reader's screen is dark

struct sim_look {
	const char *colour; // as gnuplot takes it
	uint32_t mark;      // gnuplot's number of a mark
};

// Of a scheme by its name; of "drb T=0", which is drb without threshold; of "ink"; of "1", "2", ... for
// what is drawn in an order, such as layers. Colours are told apart by colour-blind readers, too, on
// white and on black. *known: false if it is the look of nothing.
struct sim_look sim_look_of(const char *name, int *known);

// What makes a picture that gnuplot drew for white paper fit a dark page: put behind its <svg> tag.
extern const char sim_dark_style[];
