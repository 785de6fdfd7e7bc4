// SPDX-License-Identifier: BSD-3-Clause
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/engine/model.h"

void sim_option_key(const struct drb_option *option, char key[SIM_NAME_MAX])
{
	snprintf(key, SIM_NAME_MAX, "%s", option->name ? option->name + 2 : "list");
	for (char *c = key; *c; c++)
		*c = *c == '-' ? '_' : *c;
}

void *sim_point_new(const struct sim_model *model)
{
	char *point = calloc(1, model->size);

	for (const struct sim_set *set = model->sets; point && set->options; set++) {
		for (const struct drb_option *o = set->options; o->name || o->arg; o++) {
			if (o->initial)
				drb_option_take(o, o->initial, point + set->at + o->at);
		}
	}
	return point;
}

void sim_point_free(const struct sim_model *model, void *point)
{
	if (point && model->release)
		model->release(point);
	free(point);
}

const struct drb_option *sim_option_find(const struct sim_model *model, const char *key,
					 void *point, void **field)
{
	char name[SIM_NAME_MAX];

	for (const struct sim_set *set = model->sets; set->options; set++) {
		for (const struct drb_option *o = set->options; o->name || o->arg; o++) {
			sim_option_key(o, name);
			if (strcmp(name, key) != 0)
				continue;
			*field = (char *)point + set->at + o->at;
			return o;
		}
	}
	return NULL;
}

static void cell_fill(struct sim_cell *cell, const struct sim_column *c, const void *base,
		      uint32_t layer)
{
	cell->column = c;
	cell->at = (const char *)base + c->at + layer * c->stride;
	snprintf(cell->name, sizeof(cell->name), "%s", c->name);
	if (c->each == SIM_ONCE)
		return;
	const char *place = strstr(c->name, "%u");
	snprintf(cell->name, sizeof(cell->name), "%.*s%u%s", (int)(place - c->name), c->name, layer,
		 place + 2);
}

uint32_t sim_cells(const struct sim_model *model, const struct sim_column *columns,
		   const void *point, const void *row, struct sim_cell cell[SIM_CELLS_MAX])
{
	const uint32_t layers = model->layers ? model->layers(point) : 0;
	uint32_t count = 0;

	for (const struct sim_column *c = columns, *end; c->name; c = end) {
		uint32_t first = c->each ? 1 : 0;
		uint32_t last = c->each == SIM_UP ? layers - 1 : c->each == SIM_DOWN ? layers : 0;
		// Adjacent columns that repeat for the same layers are printed layer by layer.
		for (end = c + 1; c->each && end->name && end->each == c->each; end++)
			;
		for (uint32_t m = first; m <= last; m++) {
			for (const struct sim_column *i = c; i < end; i++) {
				if (count == SIM_CELLS_MAX || (i->shown && !i->shown(point)))
					continue;
				cell_fill(&cell[count++], i, i->of_point ? point : row, m);
			}
		}
	}
	return count;
}

double sim_cell_number(const struct sim_cell *cell)
{
	switch (cell->column->kind) {
	case SIM_REAL:
		return *(const double *)cell->at;
	case SIM_WHOLE:
		return (double)*(const uint64_t *)cell->at;
	case SIM_U32:
		return *(const uint32_t *)cell->at == UINT32_MAX ? NAN
								 : *(const uint32_t *)cell->at;
	case SIM_FLAG:
		return *(const bool *)cell->at;
	case SIM_TEXT:
	case SIM_NAME:
	case SIM_WORD:
	case SIM_REALS:
		break;
	}
	return NAN;
}

static const char *word_at(const char *words, unsigned place, char *buffer, size_t size)
{
	while (place-- > 0)
		words = strchr(words, '|') + 1;
	snprintf(buffer, size, "%.*s", (int)strcspn(words, "|"), words);
	return buffer;
}

void sim_format_real(double value, char *buffer, size_t size)
{
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(buffer, size, "%.*g", digits, value);
		if (strtod(buffer, NULL) == value)
			return;
	}
}

const char *sim_cell_text(const struct sim_cell *cell, char *buffer, size_t size)
{
	*buffer = '\0';
	switch (cell->column->kind) {
	case SIM_TEXT:
		return cell->at;
	case SIM_NAME:
		return *(const char *const *)cell->at ?: "";
	case SIM_WORD:
		return word_at(cell->column->words, *(const unsigned *)cell->at, buffer, size);
	case SIM_FLAG:
		return *(const bool *)cell->at ? "true" : "false";
	case SIM_WHOLE:
		snprintf(buffer, size, "%" PRIu64, *(const uint64_t *)cell->at);
		return buffer;
	case SIM_U32:
		if (*(const uint32_t *)cell->at != UINT32_MAX)
			snprintf(buffer, size, "%" PRIu32, *(const uint32_t *)cell->at);
		return buffer;
	case SIM_REAL:
		if (isfinite(*(const double *)cell->at))
			sim_format_real(*(const double *)cell->at, buffer, size);
		return buffer;
	case SIM_REALS:
		break;
	}
	return buffer;
}
