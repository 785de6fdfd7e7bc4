// SPDX-License-Identifier: BSD-3-Clause
#include "sim/engine/describe.h"

#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "common/cli/log.h"

#include "code.h"

static const char *type_of(const struct drb_option *o)
{
	switch (o->kind) {
	case DRB_OPTION_FLAG:
		return "boolean";
	case DRB_OPTION_U32:
	case DRB_OPTION_U64:
	case DRB_OPTION_TIME:
		return "integer";
	case DRB_OPTION_REAL:
		return "real";
	case DRB_OPTION_WORD:
		return "word";
	case DRB_OPTION_TEXT:
	case DRB_OPTION_VALUE:
	case DRB_OPTION_REST:
	case DRB_OPTION_OTHER:
		break;
	}
	return "text";
}

static json_t *text_or_null(const char *text)
{
	return text ? json_string(text) : json_null();
}

static json_t *words_of(const char *words)
{
	json_t *list = json_array();

	for (const char *word = words;; word++) {
		const size_t length = strcspn(word, "|");
		json_array_append_new(list, json_stringn(word, length));
		word += length;
		if (!*word)
			return list;
	}
}

// Defaults that are numbers become JSON numbers, also for options with a parser of their own.
static json_t *initial_of(const struct drb_option *o)
{
	char *end;

	if (o->kind == DRB_OPTION_FLAG)
		return json_false();
	if (!o->initial)
		return json_null();
	double value = strtod(o->initial, &end);
	if (*end || end == o->initial)
		return json_string(o->initial);
	return strpbrk(o->initial, ".e") ? json_real(value) : json_integer((json_int_t)value);
}

static json_t *option_json(const struct drb_option *o)
{
	json_t *json = json_object();
	char key[SIM_NAME_MAX];

	sim_option_key(o, key);
	json_object_set_new(json, "name", json_string(key));
	json_object_set_new(json, "type", json_string(type_of(o)));
	json_object_set_new(json, "unit", text_or_null(o->unit));
	json_object_set_new(json, "default", initial_of(o));
	if (o->most > 0) {
		json_object_set_new(json, "min", json_real(o->least));
		json_object_set_new(json, "max", json_real(o->most));
	}
	if (o->kind == DRB_OPTION_WORD)
		json_object_set_new(json, "values", words_of(o->arg));
	json_object_set_new(json, "help", text_or_null(o->help));
	return json;
}

static json_t *columns_json(const struct sim_column *c)
{
	json_t *list = json_array();

	for (; c->name; c++) {
		json_t *json = json_object();
		// The letter M replaces the layer in names: "queue_upM_mean".
		const char *layer = strstr(c->name, "%u");
		json_t *name =
			layer ? json_sprintf("%.*sM%s", (int)(layer - c->name), c->name, layer + 2)
			      : json_string(c->name);
		json_object_set_new(json, "name", name);
		json_object_set_new(json, "unit", text_or_null(c->unit));
		if (c->help)
			json_object_set_new(json, "help", json_string(c->help));
		json_array_append_new(list, json);
	}
	return list;
}

static json_t *options_json(const struct sim_model *model)
{
	json_t *list = json_array();

	for (const struct sim_set *set = model->sets; set->options; set++) {
		for (const struct drb_option *o = set->options; o->name || o->arg; o++)
			json_array_append_new(list, option_json(o));
	}
	return list;
}

static json_t *parts_json(const struct sim_part *part)
{
	json_t *list = json_array();

	for (; part && part->name; part++)
		json_array_append_new(list, json_pack("{ss ss so}", "name", part->name, "help",
						      part->help, "columns",
						      columns_json(part->columns)));
	return list;
}

void sim_describe(FILE *out, const struct sim_model *const models[])
{
	json_t *list = json_array();
	json_t *all;

	for (; *models; models++)
		json_array_append_new(list,
				      json_pack("{ss ss so so so}", "name", (*models)->name, "help",
						(*models)->help, "options", options_json(*models),
						"columns", columns_json((*models)->columns),
						"parts", parts_json((*models)->parts)));
	all = json_pack("{ss ss so}", "version", DRB_VERSION, "code", SIM_CODE, "models", list);
	if (!all)
		drb_die("not enough memory");
	// drb_finish() reports a full disk.
	json_dumpf(all, out, JSON_INDENT(1) | JSON_REAL_PRECISION(10));
	fputc('\n', out);
	json_decref(all);
}
