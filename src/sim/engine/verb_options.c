// SPDX-License-Identifier: BSD-3-Clause
#include "sim/engine/verb_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/format_option.h"
#include "common/cli/log.h"

#define RUNS_MAX 10000
#define SETS_MAX 20

#define AT(field) offsetof(struct sim_verb_options, field)

static const struct drb_option runs_options[] = {
	{"--runs", "COUNT",
	 "Repetitions with consecutive seeds: figures are means, and NAME_half is half of the 95 % "
	 "interval",
	 .kind = DRB_OPTION_U32, AT(runs), 1, RUNS_MAX},
	{"--each", NULL, "Print a row for each of --runs instead of means", .kind = DRB_OPTION_FLAG,
	 AT(each)},
	{0},
};

static void collect(const struct drb_option *o, const char *text, void *list)
{
	(void)o;
	*(const char **)list = text;
}

static struct sim_values *values_of(struct sim_sweeps *sweeps, const char *key)
{
	for (uint32_t i = 0; i < sweeps->count; i++) {
		if (strcmp(sweeps->values[i].key, key) == 0)
			return &sweeps->values[i];
	}
	return NULL;
}

static bool is_hidden(const struct sim_verb *verb, const char *key)
{
	for (const char *const *hidden = verb->hidden; *hidden; hidden++) {
		if (strcmp(*hidden, key) == 0)
			return true;
	}
	return false;
}

// Copies an option and adds the default to its help.
static struct drb_option *adopt(struct sim_verb_options *v, const struct drb_option *o,
				const char *initial)
{
	struct drb_option *own = &v->option[v->options];

	if (v->options + 2 > SIM_VERB_OPTIONS_MAX)
		abort();
	*own = *o;
	if (initial && o->help && o->kind != DRB_OPTION_FLAG) {
		if (asprintf(&v->help[v->options], "%s (default %s)", o->help, initial) < 0)
			drb_die("not enough memory for options");
		own->help = v->help[v->options];
	}
	v->options++;
	return own;
}

// Copies the options of a set that take lists if `lists` is true, otherwise all its other options.
static const struct drb_option *adopt_set(struct sim_verb_options *v, struct sim_sweeps *sweeps,
					  const struct sim_set *set, bool lists)
{
	const struct drb_option *first = &v->option[v->options];
	char key[SIM_NAME_MAX];

	for (const struct drb_option *o = set->options; o->name || o->arg; o++) {
		sim_option_key(o, key);
		struct sim_values *values = values_of(sweeps, key);
		if (is_hidden(sweeps->verb, key) || (values != NULL) != lists)
			continue;
		struct drb_option *own = adopt(v, o, values ? values->list : o->initial);
		if (!values)
			continue;
		values->option = o;
		own->kind = DRB_OPTION_OTHER;
		own->parse = collect;
		own->arg = strcmp(o->arg, "NAME") == 0 ? "LIST" : "RANGE";
		own->at = (size_t)((char *)&values->list - (char *)sweeps);
	}
	v->option[v->options++] = (struct drb_option){0};
	return first;
}

void sim_verb_parse(const struct sim_verb *verb, struct sim_sweeps *sweeps,
		    struct sim_verb_options *v, int argc, char **argv)
{
	struct drb_options sets[SETS_MAX] = {{0}};
	uint32_t count = 0;

	*v = (struct sim_verb_options){.limits = sim_limits_default(),
				       .runs = verb->runs ? verb->runs : 1};
	for (const struct sim_sweep *s = verb->sweep; s->key; s++)
		sweeps->values[sweeps->count++] =
			(struct sim_values){.key = s->key, .list = s->initial};
	for (const struct sim_set *set = verb->model->sets; set->options; set++) {
		sets[count++] = (struct drb_options){.option = adopt_set(v, sweeps, set, true),
						     .into = sweeps};
		sets[count++] = (struct drb_options){.option = adopt_set(v, sweeps, set, false),
						     .into = (char *)sweeps->base + set->at};
	}
	if (verb->runs)
		sets[count++] = (struct drb_options){.option = runs_options, .into = v};
	if (verb->instead)
		sets[count++] = (struct drb_options){.option = verb->instead, .into = &v->instead};
	sets[count++] = (struct drb_options){.option = sim_limits_options, .into = &v->limits};
	sets[count++] = (struct drb_options){.option = drb_format_options, .into = &v->format};
	drb_options_parse(sets, verb->doc, argc, argv);
	for (uint32_t i = 0; i < sweeps->count; i++)
		sweeps->values[i].by_name =
			!verb->sweep[i].partly || sweeps->values[i].list != verb->sweep[i].initial;
}

void sim_verb_options_free(struct sim_verb_options *v)
{
	for (uint32_t i = 0; i < v->options; i++)
		free(v->help[i]);
}
