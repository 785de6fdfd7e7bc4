// SPDX-License-Identifier: BSD-3-Clause
#include "sim/figures/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A text between single quotes in gnuplot's language; no line breaks are in it.
static void put_quoted(FILE *f, const char *text)
{
	fputc('\'', f);
	for (; *text; text++) {
		if (*text == '\'')
			fputc('\'', f);
		fputc(*text, f);
	}
	fputc('\'', f);
}

static void put_setting(FILE *f, const char *name, const char *text)
{
	fprintf(f, "set %s ", name);
	put_quoted(f, text);
	fputc('\n', f);
}

// An axis of figures of everyday size has marks at 1, 2 and 5; of others, powers of ten.
static void put_log_tics(FILE *f, const struct sim_axis *axis, char name)
{
	if (axis->low[0] && atof(axis->low) < 1e-3) {
		fprintf(f, "set format %c '10^{%%T}'\n", name);
		return;
	}
	fprintf(f, "set %ctics (", name);
	for (int decade = -2; decade < 6; decade++)
		fprintf(f, "%s%g, %g, %g", decade > -2 ? ", " : "", pow(10, decade),
			2 * pow(10, decade), 5 * pow(10, decade));
	fprintf(f, ")\n");
}

static void put_axis(FILE *f, const struct sim_axis *axis, char name)
{
	char label[8];

	snprintf(label, sizeof(label), "%clabel", name);
	put_setting(f, label, axis->title);
	if (axis->log) {
		fprintf(f, "set logscale %c\n", name);
		put_log_tics(f, axis, name);
	}
	fprintf(f, "set %crange [%s:*]%s\n", name, axis->low[0] ? axis->low : "*",
		axis->log ? " noextend" : "");
}

static void put_axes(FILE *f, const struct sim_figure *fig)
{
	put_axis(f, &fig->x, 'x');
	put_axis(f, &fig->y, 'y');
	fprintf(f, "set border lc rgb '" SIM_INK "'\n");
	if (fig->kind != SIM_HEAT)
		fprintf(f,
			"set grid lc rgb '#cccccc' lw 1\nset offsets graph 0.02,graph 0.02,graph "
			"0.04,0\n");
}

// What is drawn so far in this plot: nothing, and then the next.
static void put_next(FILE *f, bool *first)
{
	fputs(*first ? "plot" : ",", f);
	*first = false;
}

// Apart from what is drawn: gnuplot forgets the titles of what it finds no point of. Panels have the same
// series, so one key is that of all.
static void put_key(FILE *f, const struct sim_figure *fig)
{
	bool growing = false;

	for (uint32_t i = 0; i < fig->count; i++) {
		const struct sim_series *s = &fig->series[i];
		growing |= s->growing;
		if (s->panel > 0 || s->untitled || !s->label[0])
			continue;
		if (fig->kind == SIM_BARS)
			fprintf(f, ", keyentry with boxes fs solid %s", s->dashed ? "0.4" : "0.85");
		else
			fprintf(f, ", keyentry with %s lw 2 dashtype %d pt %u ps 0.7",
				fig->kind == SIM_STEPS ? "lines" : "linespoints", s->dashed ? 2 : 1,
				s->look.mark);
		fprintf(f, " lc rgb '%s' title ", s->look.colour);
		put_quoted(f, s->label);
	}
	if (growing)
		fprintf(f, ", keyentry with points pt 8 ps 1.1 lc rgb '" SIM_INK
			   "' title 'queues grow: no mean'");
}

// Points that are no means stand alone: hollow, and not joined to the others.
static void put_line(FILE *f, const struct sim_figure *fig, const struct sim_series *s)
{
	const char *with = fig->kind == SIM_POINTS ? "yerrorbars" : "yerrorlines";

	if (fig->kind == SIM_STEPS) {
		fprintf(f, " $d%u using 1:2 with steps lw 2 dashtype %d lc rgb '%s' notitle",
			s->block, s->dashed ? 2 : 1, s->look.colour);
		return;
	}
	fprintf(f,
		" $d%u using 1:($4>0?NaN:$2):3 with %s lw 2 dashtype %d pt %u ps 0.7 lc rgb '%s' "
		"notitle",
		s->block, with, s->dashed ? 2 : 1, s->look.mark, s->look.colour);
	if (s->growing)
		fprintf(f,
			", $d%u using 1:($4>0?$2:NaN) with points pt 8 ps 1.1 lc rgb '%s' notitle",
			s->block, s->look.colour);
}

static void put_series(FILE *f, const struct sim_figure *fig, const struct sim_series *s)
{
	switch (fig->kind) {
	case SIM_BARS:
		fprintf(f, " $d%u using 2:3:xtic(1) fs solid %s lc rgb '%s' notitle", s->block,
			s->dashed ? "0.4" : "0.85", s->look.colour);
		break;
	case SIM_HEAT:
		fprintf(f, " $d%u using 1:2:($3<0.1?0.1:$3) with image notitle", s->block);
		break;
	default:
		put_line(f, fig, s);
		break;
	}
}

static void put_panel(FILE *f, const struct sim_figure *fig, uint32_t panel, bool key)
{
	bool first = true;

	for (uint32_t i = 0; i < fig->count; i++) {
		const struct sim_series *s = &fig->series[i];
		if (s->panel != panel || !s->any)
			continue;
		put_next(f, &first);
		put_series(f, fig, s);
	}
	if (first)
		fprintf(f, "set xrange [0:1]\nset yrange [1:2]\nplot NaN notitle");
	if (key)
		put_key(f, fig);
	fputc('\n', f);
}

// Light where nothing is, dark where much is, on one logarithmic scale for all panels.
static void put_kind(FILE *f, const struct sim_figure *fig)
{
	if (fig->kind == SIM_BARS)
		fprintf(f, "set style data histograms\nset style histogram errorbars gap 1 lw 1\n"
			   "set boxwidth 0.9\nset offsets 0,0,graph 0.05,0\n");
	if (fig->kind == SIM_HEAT)
		fprintf(f,
			"set palette defined (0 '#f3f6fa', 1 '#9ecae1', 2 '#4292c6', 3 '#6a51a3', "
			"4 '#ae017e', 5 '#49006a')\nset logscale cb\nset cbrange [0.1:%g]\n"
			"set autoscale fix\nset tics font ',10'\n",
			fmax(1, fig->most));
}

// Beside the panels there is one for the key.
static void put_panels(FILE *f, const struct sim_figure *fig, uint32_t rows, uint32_t columns)
{
	fprintf(f, "set multiplot layout %u,%u title ", rows, columns);
	put_quoted(f, fig->title);
	fputc('\n', f);
	for (uint32_t i = 0; i < fig->panels; i++) {
		put_setting(f, "title", fig->panel[i]);
		put_panel(f, fig, i, false);
	}
	if (fig->kind != SIM_HEAT) {
		fprintf(f, "unset border\nunset tics\nunset xlabel\nunset ylabel\nunset title\n"
			   "unset logscale\nset offsets 0,0,0,0\nset key inside center center "
			   "vertical maxcols 1\nset xrange [0:1]\nset yrange [0:1]\n"
			   "plot NaN notitle");
		put_key(f, fig);
		fputc('\n', f);
	}
	fprintf(f, "unset multiplot\n");
}

static void put_picture(FILE *f, const struct sim_figure *fig, const char *format)
{
	uint32_t cells = fig->panels ? fig->panels + (fig->kind != SIM_HEAT) : 1;
	uint32_t columns = cells <= 1   ? 1
			   : cells == 4 ? 2
					: 3,
		 rows = (cells + columns - 1) / columns;
	uint32_t width = fig->panels ? 400 * columns : 640, height = fig->panels ? 320 * rows : 480;

	if (strcmp(format, "svg") == 0)
		fprintf(f, "set terminal svg size %u,%u font 'sans,%d' background rgb '#ffffff'\n",
			width, height, fig->panels ? 13 : 15);
	else
		fprintf(f, "set terminal pdfcairo size %gin,%gin font 'sans,%d'\n", width / 100.0,
			height / 100.0, fig->panels ? 9 : 11);
	fprintf(f, "set output '%s.%s'\nset key outside bottom center horizontal height 0.7\n",
		fig->name, format);
	put_axes(f, fig);
	put_kind(f, fig);
	if (fig->panels) {
		put_panels(f, fig, rows, columns);
	} else {
		put_setting(f, "title", fig->title);
		put_panel(f, fig, 0, fig->kind != SIM_HEAT);
	}
	fprintf(f, "unset output\n");
}

void sim_figure_draw(FILE *script, const struct sim_figure *fig)
{
	put_picture(script, fig, "svg");
	fprintf(script, "reset\n"); // of data blocks nothing
	put_picture(script, fig, "pdf");
}
