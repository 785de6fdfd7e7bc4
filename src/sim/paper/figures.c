// SPDX-License-Identifier: BSD-3-Clause
#include "sim/paper/figures.h"

#include <math.h>

void figure_begin(FILE *f, const char *name, const struct figure_head *head)
{
	fprintf(f, "figure\t%s\t%s\ntitle\t%s\ncaption\t%s\nx\t%s%s\ny\t%s%s\n", name, head->kind,
		head->title, head->caption, head->x, head->x_more ? head->x_more : "", head->y,
		head->y_more ? head->y_more : "");
}

void figure_series(FILE *f, const char *label, const char *look, const char *more)
{
	fprintf(f, "series\t%s\t%s%s%s\n", label, look, more ? "\t" : "", more ? more : "");
}

// What one run told has no interval.
static double half_of(const struct sim_sample *s)
{
	double half = sim_sample_half_width(s);

	return isnan(half) ? 0 : half;
}

void figure_sample(FILE *f, double x, const struct sim_sample *s, bool grows)
{
	fprintf(f, "point\t%g\t%g\t%g%s\n", x, s->mean, half_of(s), grows ? "\tgrows" : "");
}

void figure_bar(FILE *f, const char *x, const struct sim_sample *s)
{
	fprintf(f, "point\t%s\t%g\t%g\n", x, s->mean, half_of(s));
}
