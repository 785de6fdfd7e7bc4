// SPDX-License-Identifier: BSD-3-Clause
#include "sim/engine/verb.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/log.h"
#include "common/cli/progress.h"
#include "common/cli/table.h"

#include "sim/engine/combine.h"
#include "sim/engine/pool.h"
#include "sim/engine/sweep.h"
#include "sim/engine/verb_options.h"

#define GIB 1073741824.0

struct verb_run {
	const struct sim_verb *verb;
	struct sim_verb_options o;
	struct sim_sweeps sweeps;
	// Written by the thread that holds the output lock of the pool.
	struct drb_table *table;
	struct drb_progress progress;
	void **point;           // [point * runs + run]: the settings of each run
	struct sim_task **task; // [point * runs + run]: tasks that are done and not yet printed
	uint64_t printed, done; // rows printed, runs done
	struct sim_cell (*cell)[SIM_CELLS_MAX];
	bool failed;
};

static const struct sim_part *point_part(const struct verb_run *v, const void *point,
					 uint32_t *place)
{
	const struct sim_part *parts = v->verb->model->parts;

	for (*place = 0; parts && parts[*place].name; ++*place) {
		if (parts[*place].asked(point))
			return &parts[*place];
	}
	return NULL;
}

// The number of leading cells that hold settings. Rows of parts begin with these cells, too.
static uint32_t lead_of(const struct sim_cell cell[], uint32_t count)
{
	uint32_t lead = 0;

	while (lead < count && cell[lead].column->combine == SIM_SAME && !cell[lead].column->help)
		lead++;
	return lead;
}

static bool is_in_part(const struct sim_part *part, const struct sim_cell *cell)
{
	for (const struct sim_column *c = part->columns; c->name; c++) {
		if (strcmp(c->name, cell->name) == 0)
			return true;
	}
	return false;
}

static void end_row(struct verb_run *v, const struct sim_runs *runs)
{
	if (runs->runs > 1)
		drb_table_count(v->table, "runs", NULL, runs->runs);
	drb_table_row_end(v->table);
}

static void print_part(struct verb_run *v, struct sim_task *const task[], uint32_t count,
		       uint32_t place)
{
	const struct sim_model *model = v->verb->model;
	const struct sim_part *part = &model->parts[place];
	const struct sim_runs runs = {v->cell, count};
	struct sim_cell(*row)[SIM_CELLS_MAX] = v->cell + count;
	const struct sim_runs rows = {row, count};
	uint32_t cells = 0, part_cells = 0;

	for (uint64_t i = 0; i < task[0]->outcome.part[place].count; i++) {
		for (uint32_t k = 0; k < count; k++) {
			const struct sim_outcome *out = &task[k]->outcome;
			const char *at = (const char *)out->part[place].rows + i * part->row_size;
			cells = sim_cells(model, model->columns, task[k]->point, out->row,
					  v->cell[k]);
			part_cells = sim_cells(model, part->columns, task[k]->point, at, row[k]);
		}
		const uint32_t lead = lead_of(v->cell[0], cells);
		for (uint32_t c = 0; c < lead; c++)
			sim_put_combined(v->table, &runs, c);
		for (uint32_t c = 0; c < part_cells; c++)
			sim_put_combined(v->table, &rows, c);
		for (uint32_t c = lead; c < cells; c++) {
			const struct sim_cell *cell = &v->cell[0][c];
			if ((part->with_row || cell->column->combine == SIM_SAME) &&
			    !is_in_part(part, cell))
				sim_put_combined(v->table, &runs, c);
		}
		end_row(v, &runs);
	}
}

static void print_rows(struct verb_run *v, struct sim_task *const task[], uint32_t count)
{
	const struct sim_model *model = v->verb->model;
	const struct sim_runs runs = {v->cell, count};
	uint32_t place, cells = 0;

	for (uint32_t k = 0; k < count; k++) {
		const struct sim_outcome *out = &task[k]->outcome;
		if (*out->warning)
			drb_warn("%s", out->warning);
		if (*out->error) {
			drb_error("%s", out->error);
			v->failed = true;
			return;
		}
	}
	if (point_part(v, task[0]->point, &place)) {
		print_part(v, task, count, place);
		return;
	}
	for (uint32_t k = 0; k < count; k++)
		cells = sim_cells(model, model->columns, task[k]->point, task[k]->outcome.row,
				  v->cell[k]);
	for (uint32_t c = 0; c < cells; c++)
		sim_put_combined(v->table, &runs, c);
	end_row(v, &runs);
}

// Prints rows in the order of the points.
static void take_row(void *context, struct sim_task *done)
{
	struct verb_run *v = context;
	const uint32_t group = v->o.each ? 1 : v->o.runs;
	const uint64_t groups = v->sweeps.points * v->o.runs / group;

	v->task[done->number] = done;
	v->done++;
	while (v->printed < groups) {
		struct sim_task **task = v->task + v->printed * group;
		for (uint32_t k = 0; k < group; k++) {
			if (!task[k]) {
				drb_progress_update(&v->progress, v->done * 1000);
				return;
			}
		}
		drb_progress_hide(&v->progress);
		print_rows(v, task, group);
		for (uint32_t k = 0; k < group; k++)
			sim_task_free(task[k]);
		v->printed++;
	}
}

static void say_running(void *context, uint64_t share)
{
	struct verb_run *v = context;

	if (v->done * 1000 + share > 0)
		drb_progress_update(&v->progress, v->done * 1000 + share);
}

static void say_interrupted(void *context)
{
	struct verb_run *v = context;
	const uint32_t group = v->o.each ? 1 : v->o.runs;

	drb_progress_end(&v->progress);
	drb_table_end(v->table);
	drb_error("interrupted: %" PRIu64 " of %" PRIu64 " points are done", v->printed,
		  v->sweeps.points * v->o.runs / group);
}

// Checks all points before the first one runs.
static void check_points(struct verb_run *v, uint64_t count)
{
	const struct sim_model *model = v->verb->model;
	uint64_t most = 0;

	v->point = calloc(count, sizeof(*v->point));
	if (!v->point)
		drb_die("not enough memory for %" PRIu64 " points", count);
	for (uint64_t i = 0; i < count; i++) {
		void *point =
			sim_sweeps_point(&v->sweeps, i / v->o.runs, (uint32_t)(i % v->o.runs));
		v->point[i] = point;
		const uint64_t bytes = model->bytes ? model->bytes(point) : 0;
		if (bytes > v->o.limits.memory)
			drb_die("a run takes %.2f GiB, %.2f GiB are allowed: take a smaller "
				"fabric, "
				"or raise --memory",
				(double)bytes / GIB, (double)v->o.limits.memory / GIB);
		most = bytes > most ? bytes : most;
	}
	if ((double)most >= GIB)
		drb_info("a run takes %.1f GiB, and more as its queues grow", (double)most / GIB);
}

static void check_rows(const struct verb_run *v)
{
	uint32_t place;
	const struct sim_part *part = v->sweeps.points ? point_part(v, v->point[0], &place) : NULL;

	if (part && !part->with_row && v->o.runs > 1 && !v->o.each)
		drb_die("--%s: of one run: take --runs 1, or --each", part->name);
}

static void run_points(struct verb_run *v)
{
	const uint64_t count = v->sweeps.points * v->o.runs;

	check_points(v, count);
	check_rows(v);
	v->task = calloc(count + 1, sizeof(struct sim_task *));
	v->cell = calloc(2 * (size_t)v->o.runs, sizeof(*v->cell));
	if (!v->task || !v->cell)
		drb_die("not enough memory for %" PRIu64 " rows", count);
	v->table = drb_table_new(stdout, v->o.format);
	drb_table_stack(v->table);
	drb_progress_begin(&v->progress, v->verb->what, count * 1000);
	struct sim_pool *pool =
		sim_pool_new(&(struct sim_pool_setup){.threads = v->o.limits.threads,
						      .memory = v->o.limits.memory,
						      .tasks = count,
						      .done = take_row,
						      .interrupted = say_interrupted,
						      .running = say_running,
						      .context = v});
	for (uint64_t i = 0; i < count; i++) {
		struct sim_task *task = sim_task_new(v->verb->model, v->point[i]);
		task->number = i;
		sim_pool_add(pool, task);
	}
	sim_pool_free(pool);
	drb_progress_end(&v->progress);
	drb_table_end(v->table);
	free(v->task);
	free(v->cell);
	free(v->point);
}

int sim_verb_main(const struct sim_verb *verb, int argc, char **argv)
{
	struct verb_run v = {.verb = verb};
	void *base = sim_point_new(verb->model);
	int status = DRB_EXIT_OK;

	if (!base)
		drb_die("not enough memory for a point");
	v.sweeps.verb = verb;
	v.sweeps.base = base;
	void *asked;
	if (verb->part && sim_option_find(verb->model, verb->part, base, &asked))
		*(bool *)asked = true;
	sim_verb_parse(verb, &v.sweeps, &v.o, argc, argv);
	sim_sweeps_begin(&v.sweeps);
	if (v.o.instead) {
		void *point = sim_sweeps_only_point(&v.sweeps);
		status = verb->print(point);
		sim_point_free(verb->model, point);
	} else {
		run_points(&v);
	}
	sim_sweeps_end(&v.sweeps);
	sim_verb_options_free(&v.o);
	free(base);
	return v.failed ? DRB_EXIT_FAILED : status;
}
