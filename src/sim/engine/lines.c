// SPDX-License-Identifier: BSD-3-Clause
#include "sim/engine/lines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/log.h"

#define NAMES_MAX 256
#define NUMBER_MAX 40

static const struct sim_model *find_model(const struct sim_model *const models[], json_t *name)
{
	const char *text = json_string_value(name);
	char names[NAMES_MAX] = "";

	for (uint32_t i = 0; models[i]; i++) {
		if (text && strcmp(models[i]->name, text) == 0)
			return models[i];
		snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s",
			 *names ? ", " : "", models[i]->name);
	}
	if (!text)
		drb_die("model: must be one of %s", names);
	drb_die("model %s: must be one of %s", text, names);
}

// Returns the value as text in the form of a command line. A number is written into `buffer`. NULL:
// the value is neither a number nor a text.
static const char *text_of(const json_t *value, char buffer[NUMBER_MAX])
{
	if (json_is_integer(value))
		snprintf(buffer, NUMBER_MAX, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else if (json_is_real(value))
		sim_format_real(json_real_value(value), buffer, NUMBER_MAX);
	else
		return json_string_value(value);
	return buffer;
}

static void take_value(const struct drb_option *o, const char *key, const json_t *value,
		       void *field)
{
	char buffer[NUMBER_MAX];

	if (o->kind == DRB_OPTION_FLAG) {
		if (!json_is_boolean(value))
			drb_die("%s: must be true or false", key);
		*(bool *)field = json_is_true(value);
		return;
	}
	const char *text = text_of(value, buffer);
	if (!text)
		drb_die("%s: must be one number or text", key);
	if (o->kind == DRB_OPTION_TEXT && text == buffer)
		drb_die("%s: must be a text", key);
	drb_option_take(o, text, field);
}

static void take_key(struct sim_line *line, const char *key, const json_t *value)
{
	void *field;
	const struct drb_option *o;

	if (strcmp(key, "id") == 0 || strcmp(key, "model") == 0 || json_is_null(value))
		return;
	o = sim_option_find(line->model, key, line->point, &field);
	if (!o)
		drb_die("%s: model %s has no such option: see drbsim run --models", key,
			line->model->name);
	take_value(o, key, value, field);
}

static void take_id(struct sim_line *line, uint64_t number)
{
	const json_t *id = json_object_get(line->json, "id");
	char text[NUMBER_MAX];

	if (id && !json_is_string(id) && !json_is_number(id))
		drb_die("id: must be a text or a number");
	snprintf(text, sizeof(text), "%" PRIu64, number);
	line->id = id ? json_dumps(id, JSON_ENCODE_ANY) : strdup(text);
	if (!line->id)
		drb_die("id: not enough memory");
}

void sim_line_read(const struct sim_model *const models[], const char *text, uint64_t number,
		   struct sim_line *line)
{
	json_error_t error;

	*line = (struct sim_line){.json = json_loads(text, JSON_REJECT_DUPLICATES, &error)};
	if (!line->json)
		drb_die("no JSON: %s, at character %d", error.text, error.position);
	if (!json_is_object(line->json))
		drb_die("must be a JSON object, such as {\"model\": \"packet\", \"load\": 0.9}");
	line->model = find_model(models, json_object_get(line->json, "model"));
	line->point = sim_point_new(line->model);
	if (!line->point)
		drb_die("not enough memory for a point");
	take_id(line, number);
	for (void *at = json_object_iter(line->json); at;
	     at = json_object_iter_next(line->json, at))
		take_key(line, json_object_iter_key(at), json_object_iter_value(at));
	if (line->model->check)
		line->model->check(line->point);
}
