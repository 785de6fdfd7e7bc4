// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A figure but for its data, which the script has before, and what gnuplot draws it by.

#include "sim/figures/script.h"
#include "sim/figures/style.h"

#define SIM_SERIES_MAX 128
#define SIM_PANELS_MAX 12

enum sim_kind { SIM_LINES, SIM_POINTS, SIM_STEPS, SIM_BARS, SIM_HEAT, SIM_KINDS };

struct sim_series {
	char label[64];
	struct sim_look look;
	bool dashed, untitled, growing, any;
	uint32_t panel, block; // of data
};

struct sim_axis {
	char title[SIM_FIGURE_TEXT];
	bool log;
	char low[32]; // "": gnuplot finds one
};

struct sim_figure {
	char name[SIM_FIGURE_NAME], title[SIM_FIGURE_TEXT];
	enum sim_kind kind;
	struct sim_axis x, y;
	char panel[SIM_PANELS_MAX][SIM_FIGURE_TEXT];
	uint32_t panels, count;
	double most; // of heat: the largest value
	struct sim_series series[SIM_SERIES_MAX];
};

// The settings of a figure, and what draws NAME.svg and NAME.pdf; its data blocks are in the script.
void sim_figure_draw(FILE *script, const struct sim_figure *fig);
