// SPDX-License-Identifier: BSD-3-Clause
#include "sim/engine/combine.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/engine/sample.h"

#define TEXT_MAX 64

// Leaves out undefined figures.
static struct sim_sample sample_of(const struct sim_runs *runs, uint32_t i)
{
	struct sim_sample sample = {0};

	for (uint32_t run = 0; run < runs->runs; run++) {
		double value = sim_cell_number(&runs->cell[run][i]);
		if (!isnan(value))
			sim_sample_add(&sample, value);
	}
	return sample;
}

static double extreme_of(const struct sim_runs *runs, uint32_t i, double (*of)(double, double))
{
	double value = NAN; // NaN, which fmin() and fmax() ignore

	for (uint32_t run = 0; run < runs->runs; run++)
		value = of(value, sim_cell_number(&runs->cell[run][i]));
	return value;
}

static double sum_of(const struct sim_runs *runs, uint32_t i)
{
	double sum = 0;

	for (uint32_t run = 0; run < runs->runs; run++)
		sum += sim_cell_number(&runs->cell[run][i]);
	return sum;
}

// The worst word of all runs: "yes" before "unclear" before any other.
static const char *worst_word(const struct sim_runs *runs, uint32_t i)
{
	static const char *const words[] = {"yes", "unclear"};

	for (size_t w = 0; w < sizeof(words) / sizeof(words[0]); w++) {
		for (uint32_t run = 0; run < runs->runs; run++) {
			const char *text = *(const char *const *)runs->cell[run][i].at;
			if (strcmp(text, words[w]) == 0)
				return words[w];
		}
	}
	return *(const char *const *)runs->cell[0][i].at;
}

static void put_number(struct drb_table *table, const struct sim_cell *cell, double value)
{
	const struct sim_column *c = cell->column;

	if (c->kind == SIM_REAL)
		drb_table_real(table, cell->name, NULL, c->decimals, value);
	else
		drb_table_count(table, cell->name, NULL,
				isnan(value) ? DRB_UNKNOWN : (uint64_t)value);
}

static void put_cell(struct drb_table *table, const struct sim_cell *cell)
{
	char buffer[TEXT_MAX];

	switch (cell->column->kind) {
	case SIM_REALS:
		return;
	case SIM_WHOLE: // a seed may have more digits than a double holds
		drb_table_count(table, cell->name, NULL, *(const uint64_t *)cell->at);
		return;
	case SIM_REAL:
	case SIM_U32:
		put_number(table, cell, sim_cell_number(cell));
		return;
	case SIM_FLAG:
		drb_table_flag(table, cell->name, NULL, *(const bool *)cell->at);
		return;
	case SIM_TEXT:
	case SIM_NAME:
	case SIM_WORD:
		drb_table_text(table, cell->name, NULL,
			       sim_cell_text(cell, buffer, sizeof(buffer)));
	}
}

void sim_put_combined(struct drb_table *table, const struct sim_runs *runs, uint32_t i)
{
	const struct sim_cell *cell = &runs->cell[0][i];
	const struct sim_column *c = cell->column;
	char half[SIM_NAME_MAX + 8];

	if (runs->runs == 1 || c->combine == SIM_SAME) {
		put_cell(table, cell);
		return;
	}
	if (c->kind == SIM_NAME) { // only the column `growing`
		drb_table_text(table, cell->name, NULL, worst_word(runs, i));
		return;
	}
	if (c->combine == SIM_MOST || c->combine == SIM_LEAST) {
		put_number(table, cell, extreme_of(runs, i, c->combine == SIM_MOST ? fmax : fmin));
		return;
	}
	if (c->combine == SIM_SUM) {
		put_number(table, cell, sum_of(runs, i));
		return;
	}
	const struct sim_sample sample = sample_of(runs, i);
	drb_table_real(table, cell->name, NULL, c->decimals, sim_sample_mean(&sample));
	if (c->combine != SIM_SPREAD)
		return;
	const char *mean = strstr(cell->name, "_mean");
	snprintf(half, sizeof(half), "%.*s_half",
		 mean ? (int)(mean - cell->name) : (int)strlen(cell->name), cell->name);
	drb_table_real(table, half, NULL, c->decimals, sim_sample_half_width(&sample));
}
