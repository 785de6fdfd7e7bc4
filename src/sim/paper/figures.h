// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Lines of a figure, as sim/figures/script.h has them.

#include <stdbool.h>
#include <stdio.h>

#include "sim/runs/sample.h"

struct figure_head {
	const char *kind, *title, *caption;
	const char *x, *y;
	const char *x_more, *y_more; // "\tlog", where the axis begins, or NULL
};

void figure_begin(FILE *f, const char *name, const struct figure_head *head);
void figure_series(FILE *f, const char *label, const char *look, const char *more);
// At x, or at the bar of that name.
void figure_sample(FILE *f, double x, const struct sim_sample *s, bool grows);
void figure_bar(FILE *f, const char *x, const struct sim_sample *s);
