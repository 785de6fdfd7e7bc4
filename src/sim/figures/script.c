// SPDX-License-Identifier: BSD-3-Clause
#include "sim/figures/script.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/figures/figure.h"

#define FIELDS_MAX 6

static const char *const kind_name[] = {"lines", "points", "steps", "bars", "heat"};

struct reader {
	FILE *script;
	char *message;
	uint32_t line;
	bool open, in_block; // a figure, a data block
	uint32_t blocks;     // all so far
	struct sim_figure figure;
};

static int wrong(struct reader *r, const char *what)
{
	snprintf(r->message, SIM_FIGURE_TEXT, "line %u: %s", r->line, what);
	return -EINVAL;
}

static void end_block(struct reader *r)
{
	if (r->in_block)
		fprintf(r->script, "EOD\n");
	r->in_block = false;
}

static void end_figure(struct reader *r)
{
	end_block(r);
	if (!r->open)
		return;
	sim_figure_draw(r->script, &r->figure);
	r->open = false;
}

static bool is_name(const char *name)
{
	return name[0] && name[0] != '.' && name[0] != '-' && strlen(name) < SIM_FIGURE_NAME &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") ==
		       strlen(name);
}

static int read_figure(struct reader *r, char *field[], uint32_t fields)
{
	uint32_t kind = 0;

	end_figure(r);
	if (fields != 3 || !is_name(field[1]))
		return wrong(r, "figure NAME KIND: the name is that of a file");
	while (kind < SIM_KINDS && strcmp(field[2], kind_name[kind]) != 0)
		kind++;
	if (kind == SIM_KINDS)
		return wrong(r, "the kind is lines, points, steps, bars or heat");
	r->figure = (struct sim_figure){.kind = (enum sim_kind)kind};
	strcpy(r->figure.name, field[1]);
	fprintf(r->script, "\nreset\nset encoding utf8\n");
	r->open = true;
	return 0;
}

static int read_axis(struct reader *r, struct sim_axis *axis, char *field[], uint32_t fields)
{
	snprintf(axis->title, sizeof(axis->title), "%s", field[1]);
	for (uint32_t i = 2; i < fields; i++) {
		char *end;
		if (strcmp(field[i], "log") == 0) {
			axis->log = true;
			continue;
		}
		double low = strtod(field[i], &end);
		if (end == field[i] || *end)
			return wrong(r, "behind the title of an axis: log, or where it begins");
		snprintf(axis->low, sizeof(axis->low), "%g", low);
	}
	return 0;
}

static int read_series(struct reader *r, char *field[], uint32_t fields)
{
	struct sim_figure *fig = &r->figure;
	struct sim_series *s = &fig->series[fig->count];
	int known;

	end_block(r);
	if (fields < 3 || fig->count == SIM_SERIES_MAX)
		return wrong(r, "series LABEL LOOK, at most 128 of a figure");
	*s = (struct sim_series){.look = sim_look_of(field[2], &known),
				 .dashed = fields > 3 && strcmp(field[3], "dashed") == 0,
				 .untitled = fields > 3 && strcmp(field[3], "untitled") == 0,
				 .panel = fig->panels ? fig->panels - 1 : 0,
				 .block = r->blocks++};
	if (!known)
		return wrong(r, "the look is a scheme, ink, or a number from 1 to 8");
	snprintf(s->label, sizeof(s->label), "%s", field[1]);
	fig->count++;
	fprintf(r->script, "$d%u << EOD\n", s->block);
	r->in_block = true;
	return 0;
}

static int read_number(struct reader *r, const char *text, double *value)
{
	char *end;

	*value = strtod(text, &end);
	return end == text || *end ? wrong(r, "a point has numbers") : 0;
}

static int read_point(struct reader *r, char *field[], uint32_t fields)
{
	struct sim_figure *fig = &r->figure;
	double value[3] = {0};
	bool grows = fields > 4 && strcmp(field[4], "grows") == 0;

	if (!r->in_block || fields < 3)
		return wrong(r, "point X Y [HALF [grows]] follows a series");
	for (uint32_t i = fig->kind == SIM_BARS ? 2 : 1; i < fields && i < 4; i++) {
		if (read_number(r, field[i], &value[i - 1]) < 0)
			return -EINVAL;
	}
	fig->series[fig->count - 1].growing |= grows;
	fig->series[fig->count - 1].any = true;
	fig->most = value[2] > fig->most ? value[2] : fig->most;
	if (fig->kind == SIM_BARS && strpbrk(field[1], "\"\\"))
		return wrong(r, "a name has no quotes");
	if (fig->kind == SIM_BARS)
		fprintf(r->script, "\"%s\" ", field[1]);
	else
		fprintf(r->script, "%.9g ", value[0]);
	fprintf(r->script, "%.9g %.9g %d\n", value[1], value[2] == value[2] ? value[2] : 0, grows);
	return 0;
}

static int read_panel(struct reader *r, const char *title)
{
	struct sim_figure *fig = &r->figure;

	end_block(r);
	if (fig->panels == SIM_PANELS_MAX)
		return wrong(r, "at most 12 panels");
	snprintf(fig->panel[fig->panels++], SIM_FIGURE_TEXT, "%s", title);
	return 0;
}

static uint32_t split(char *line, char *field[FIELDS_MAX])
{
	uint32_t fields = 0;

	line[strcspn(line, "\r\n")] = '\0';
	for (char *at = line; at && fields < FIELDS_MAX; fields++)
		field[fields] = strsep(&at, "\t");
	return fields;
}

static int read_line(struct reader *r, char *line)
{
	char *field[FIELDS_MAX];
	uint32_t fields = split(line, field);

	if (!*field[0])
		return 0;
	if (strcmp(field[0], "figure") == 0)
		return read_figure(r, field, fields);
	if (!r->open)
		return wrong(r, "the first line of a figure is: figure NAME KIND");
	if (fields < 2)
		return wrong(r, "fields are apart by tabs");
	if (strcmp(field[0], "point") == 0)
		return read_point(r, field, fields);
	if (strcmp(field[0], "series") == 0)
		return read_series(r, field, fields);
	if (strcmp(field[0], "panel") == 0)
		return read_panel(r, field[1]);
	if (strcmp(field[0], "x") == 0 || strcmp(field[0], "y") == 0)
		return read_axis(r, *field[0] == 'x' ? &r->figure.x : &r->figure.y, field, fields);
	if (strcmp(field[0], "title") == 0)
		snprintf(r->figure.title, SIM_FIGURE_TEXT, "%s", field[1]);
	else if (strcmp(field[0], "caption") != 0)
		return wrong(r, "no figure, title, caption, x, y, panel, series or point");
	return 0;
}

int sim_figures_script(FILE *figures, FILE *script, char message[SIM_FIGURE_TEXT])
{
	struct reader *r = calloc(1, sizeof(*r));
	char line[SIM_FIGURE_LINE];
	int rc = 0;

	if (!r)
		return -ENOMEM;
	r->script = script;
	r->message = message;
	while (rc == 0 && fgets(line, sizeof(line), figures)) {
		r->line++;
		if (!strchr(line, '\n') && !feof(figures))
			rc = wrong(r, "longer than 1023 bytes");
		else
			rc = read_line(r, line);
	}
	if (rc == 0)
		end_figure(r);
	free(r);
	return rc;
}

void sim_figures_each(FILE *figures, void (*each)(void *context, const char *name), void *context)
{
	char line[SIM_FIGURE_LINE], *field[FIELDS_MAX];

	while (fgets(line, sizeof(line), figures)) {
		if (split(line, field) > 1 && strcmp(field[0], "figure") == 0)
			each(context, field[1]);
	}
}

bool sim_figures_caption(FILE *figures, const char *name, char caption[SIM_FIGURE_LINE])
{
	char line[SIM_FIGURE_LINE], *field[FIELDS_MAX];
	bool mine = false;

	while (fgets(line, sizeof(line), figures)) {
		if (split(line, field) < 2)
			continue;
		if (strcmp(field[0], "figure") == 0)
			mine = strcmp(field[1], name) == 0;
		if (!mine || strcmp(field[0], "caption") != 0)
			continue;
		strcpy(caption, field[1]);
		return true;
	}
	return false;
}
