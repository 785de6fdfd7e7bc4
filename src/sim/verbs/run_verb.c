// SPDX-License-Identifier: BSD-3-Clause
// Reads points, one per line, and prints rows as soon as they are done.
#include "sim/verbs/verbs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/file.h"
#include "common/cli/log.h"

#include "sim/engine/describe.h"
#include "sim/engine/limits.h"
#include "sim/engine/lines.h"
#include "sim/engine/pool.h"
#include "sim/engine/row_json.h"
#include "sim/points/models.h"

struct run_verb {
	struct sim_limits limits;
	const char *path;
	bool models;
	struct sim_pool *pool;
	FILE *in;
	uint64_t line; // number of the line being read
	// Main writes `added`. The pool's threads write the others while they hold its output lock.
	uint64_t added, done;
	bool failed;
};

// The run that end_at_bad_line() ends. A process has one run.
static struct run_verb *running;

#define AT(field) offsetof(struct run_verb, field)

static const struct drb_option options[] = {
	{NULL, "FILE", NULL, .kind = DRB_OPTION_TEXT, AT(path)},
	{"--models", NULL, "Only print what models there are, with options and columns, as JSON",
	 .kind = DRB_OPTION_FLAG, AT(models)},
	{0},
};

// The rest of a line besides its point.
struct origin {
	char *id;
	json_t *json;
};

static void write_row(void *context, struct sim_task *task)
{
	struct run_verb *v = context;
	struct origin *origin = task->context;

	sim_row_json(stdout, origin->id, task->model, task->point, &task->outcome);
	if (fflush(stdout) != 0) // the rows that follow would be lost, too
		exit(drb_finish(DRB_EXIT_FAILED));
	v->done++;
	v->failed |= *task->outcome.error != '\0';
	json_decref(origin->json);
	free(origin->id);
	free(origin);
	sim_task_free(task);
}

static void say_interrupted(void *context)
{
	const struct run_verb *v = context;

	drb_error("interrupted: %" PRIu64 " of the %" PRIu64 " points read are done", v->done,
		  v->added);
}

static const char *source_name(const struct run_verb *v)
{
	return v->path ? drb_file_name(v->path) : "standard input";
}

static void close_input(struct run_verb *v)
{
	if (v->in != stdin)
		fclose(v->in);
}

// Turns "--ack-room 2: must be ..." into "FILE:LINE: ack_room: 2: must be ...".
static void __attribute__((noreturn)) end_at_bad_line(const char *message)
{
	struct run_verb *v = running;
	char text[1024], whole[1200];

	// A copy, because drb_die() overwrites the message.
	snprintf(text, sizeof(text), "%s", message);
	drb_die_by(NULL);
	sim_pool_drain(v->pool);
	close_input(v);
	if (strncmp(text, "--", 2) != 0) {
		drb_file_complain(whole, sizeof(whole), source_name(v), (uint32_t)v->line, text);
		drb_die("%s", whole);
	}
	char *key = text + 2, *end = key + strcspn(key, " :");
	const char *what = *end == ':' ? end + 1 : end;
	for (char *c = key; c < end; c++)
		*c = *c == '-' ? '_' : *c;
	drb_die("%s:%" PRIu64 ": %.*s:%s", source_name(v), v->line, (int)(end - key), key, what);
}

static void add_line(struct run_verb *v, const char *text)
{
	struct origin *origin = malloc(sizeof(*origin));
	struct sim_line line;

	sim_line_read(sim_models, text, v->line, &line);
	if (!origin)
		drb_die("not enough memory");
	*origin = (struct origin){line.id, line.json};
	struct sim_task *task = sim_task_new(line.model, line.point);
	task->context = origin;
	v->added++;
	sim_pool_add(v->pool, task);
}

static void read_lines(struct run_verb *v)
{
	char *text = NULL;
	size_t room = 0;
	ssize_t length;

	while ((length = getline(&text, &room, v->in)) >= 0) {
		v->line++;
		if (memchr(text, '\0', (size_t)length))
			drb_die("no JSON: it has a zero byte");
		if (text[strspn(text, " \t\r\n")])
			add_line(v, text);
	}
	free(text);
	if (ferror(v->in))
		drb_die("%s", drb_file_error(errno));
}

static int lines_run(struct run_verb *v)
{
	// Standard input is read line by line, so that users can write further lines after they get
	// rows. drb_file_read() would read ahead.
	const bool is_named = v->path && strcmp(v->path, "-") != 0;

	v->in = is_named ? drb_file_read(v->path) : stdin;
	if (!v->in)
		drb_die("%s: %s", v->path, strerror(errno));
	v->pool = sim_pool_new(&(struct sim_pool_setup){.threads = v->limits.threads,
							.memory = v->limits.memory,
							.done = write_row,
							.interrupted = say_interrupted,
							.context = v});
	running = v;
	drb_die_by(end_at_bad_line);
	read_lines(v);
	drb_die_by(NULL);
	sim_pool_free(v->pool);
	close_input(v);
	return v->failed ? DRB_EXIT_FAILED : DRB_EXIT_OK;
}

int sim_run(int argc, char **argv)
{
	struct run_verb v = {.limits = sim_limits_default()};
	const struct drb_options sets[] = {
		{.option = options, &v}, {.option = sim_limits_options, &v.limits}, {0}};

	drb_options_parse(sets,
			  "Runs points of all models: reads a JSON object a line from FILE or "
			  "standard input, and prints a row, as JSON, as soon as its point is "
			  "done.\v"
			  "Keys: id, a text or number that the row repeats (default: the number of "
			  "the line); model; and options of the model, see --models. A bad line "
			  "ends the run with exit status 2, after the rows of the lines before it. "
			  "SIGINT, SIGTERM and SIGHUP end it with 128 and their number. A point "
			  "that cannot run has a row with `error`, and the exit status is 1.",
			  argc, argv);
	if (v.models) {
		sim_describe(stdout, sim_models);
		return DRB_EXIT_OK;
	}
	return lines_run(&v);
}
