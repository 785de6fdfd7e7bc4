// SPDX-License-Identifier: BSD-3-Clause
#include "common/cli/table_print.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "common/cli/colour.h"

#define CELL_MAX 160

static bool wide;

void drb_table_wide(void)
{
	wide = true;
}

bool drb_table_is_wide(void)
{
	return wide;
}

static char *copied(const char *text)
{
	return drb_table_checked(strdup(text));
}

static void add_column(struct drb_table *t, struct drb_column c)
{
	t->columns = drb_table_checked(realloc(t->columns, (t->count + 1) * sizeof(*t->columns)));
	t->columns[t->count++] =
		(struct drb_column){copied(c.key), c.title ? copied(c.title) : NULL, c.kind};
}

struct drb_table *drb_table_new(FILE *out, enum drb_format format)
{
	struct drb_table *t = drb_table_checked(calloc(1, sizeof(*t)));

	t->out = out;
	t->format = format;
	t->coloured = drb_colour_on(out);
	return t;
}

void drb_table_stack(struct drb_table *t)
{
	t->stacked = true;
}

void drb_table_below(struct drb_table *t)
{
	t->below = t->format == DRB_FORMAT_TABLE;
	if (!t->below)
		return;
	add_column(t, (struct drb_column){"name", NULL, TEXT});
	// The values are mixed numbers and words. As COUNT they are right-aligned.
	add_column(t, (struct drb_column){"value", NULL, COUNT});
	add_column(t, (struct drb_column){"meaning", NULL, TEXT});
}

static void csv_cell(FILE *out, const char *text)
{
	if (!text[strcspn(text, ",\"\r\n")]) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

// A file name may have bytes that are not UTF-8, which a JSON string cannot contain. Each of these
// bytes becomes '?'.
static json_t *json_text(const char *text)
{
	json_t *value = json_string(text);

	if (value)
		return value;
	char *copy = drb_table_checked(strdup(text));
	for (char *p = copy; *p; p++)
		*p = (signed char)*p < 0 ? '?' : *p;
	value = json_string(copy);
	free(copy);
	return value;
}

// Names may come from any source. Their control characters must not reach a terminal.
static char *table_text(const char *text)
{
	char *copy = drb_table_checked(strdup(*text ? text : "-"));

	for (char *p = copy; *p; p++)
		*p = iscntrl((unsigned char)*p) ? '?' : *p;
	return copy;
}

static void push(struct drb_table *t, char *text, bool bad)
{
	if (t->used == t->room) {
		t->room = t->room ? 2 * t->room : 64;
		t->cells = drb_table_checked(realloc(t->cells, t->room * sizeof(*t->cells)));
	}
	t->cells[t->used++] = (struct drb_cell){text, bad};
}

static void put_below(struct drb_table *t, const struct drb_column *c, const char *text, bool bad)
{
	if (!*drb_table_title(c) || (c->kind == LOSS && strcmp(text, "0") == 0 && !wide))
		return;
	push(t, table_text(c->key), false);
	push(t, table_text(text), bad);
	push(t, table_text(t->meaning ? t->meaning : ""), false);
}

// Adds one cell: its text, and its value for JSON. Takes over the caller's reference to the value.
static void cell_put(struct drb_table *t, struct drb_column c, const char *text, json_t *value)
{
	if (t->below)
		put_below(t, &c, text, t->bad);
	else if (!t->any)
		add_column(t, c);
	if (t->format == DRB_FORMAT_JSON) {
		if (t->at == 0)
			t->object = drb_table_checked(json_object());
		json_object_set_new(t->object, c.key, drb_table_checked(value));
	} else if (!t->below) {
		push(t, t->format == DRB_FORMAT_TABLE ? table_text(text) : copied(text), t->bad);
	}
	t->at++;
	t->meaning = NULL;
	t->bad = false;
}

// A JSON value is made only in JSON format.
#define JSON(t, value) ((t)->format == DRB_FORMAT_JSON ? (value) : NULL)

void drb_table_text(struct drb_table *t, const char *key, const char *title, const char *value)
{
	cell_put(t, (struct drb_column){key, title, TEXT}, value ? value : "",
		 JSON(t, value ? json_text(value) : json_null()));
}

static void put_count(struct drb_table *t, struct drb_column c, uint64_t value)
{
	char text[CELL_MAX] = "";
	const bool known = value != DRB_UNKNOWN;

	if (known)
		snprintf(text, sizeof(text), "%" PRIu64, value);
	cell_put(t, c, text, JSON(t, known ? json_integer((json_int_t)value) : json_null()));
}

void drb_table_count(struct drb_table *t, const char *key, const char *title, uint64_t value)
{
	put_count(t, (struct drb_column){key, title, COUNT}, value);
}

void drb_table_loss(struct drb_table *t, const char *key, const char *title, uint64_t value)
{
	put_count(t, (struct drb_column){key, title, LOSS}, value);
}

void drb_table_integer(struct drb_table *t, const char *key, const char *title, int64_t value)
{
	char text[CELL_MAX];

	snprintf(text, sizeof(text), "%" PRId64, value);
	cell_put(t, (struct drb_column){key, title, INTEGER}, text, JSON(t, json_integer(value)));
}

void drb_table_real(struct drb_table *t, const char *key, const char *title, int decimals,
		    double value)
{
	char text[CELL_MAX] = "";

	if (isfinite(value) && t->format == DRB_FORMAT_TABLE)
		snprintf(text, sizeof(text), "%.*f", decimals, value);
	else if (isfinite(value))
		snprintf(text, sizeof(text), "%.10g", value);
	cell_put(t, (struct drb_column){key, title, REAL}, text,
		 JSON(t, isfinite(value) ? json_real(value) : json_null()));
}

void drb_table_flag(struct drb_table *t, const char *key, const char *title, bool value)
{
	static const char *const words[][2] = {{"no", "yes"}, {"false", "true"}};

	cell_put(t, (struct drb_column){key, title, FLAG},
		 words[t->format != DRB_FORMAT_TABLE][value], JSON(t, json_boolean(value)));
}

void drb_table_meaning(struct drb_table *t, const char *meaning)
{
	t->meaning = meaning;
}

void drb_table_bad(struct drb_table *t, bool bad)
{
	t->bad = bad;
}

static void end_csv(struct drb_table *t)
{
	for (uint32_t i = 0; i < t->count && !t->any; i++)
		fprintf(t->out, "%s%c", t->columns[i].key, i + 1 < t->count ? ',' : '\n');
	for (uint32_t i = 0; i < t->count; i++) {
		csv_cell(t->out, t->cells[i].text);
		fputc(i + 1 < t->count ? ',' : '\n', t->out);
		free(t->cells[i].text);
	}
	t->used = 0;
}

void drb_table_row_end(struct drb_table *t)
{
	if (!t->below && t->at != t->count)
		abort();
	if (t->format == DRB_FORMAT_CSV)
		end_csv(t);
	if (t->format == DRB_FORMAT_JSON) {
		json_dumpf(t->object, t->out, JSON_COMPACT | JSON_REAL_PRECISION(10));
		fputc('\n', t->out);
		json_decref(t->object);
	}
	if (t->format != DRB_FORMAT_TABLE)
		fflush(t->out);
	t->any = true;
	t->at = 0;
}

void drb_table_end(struct drb_table *t)
{
	if (t->format == DRB_FORMAT_TABLE && t->any)
		drb_table_print(t);
	for (size_t i = 0; i < t->used; i++)
		free(t->cells[i].text);
	for (uint32_t c = 0; c < t->count; c++) {
		free((char *)t->columns[c].key);
		free((char *)t->columns[c].title);
	}
	free(t->columns);
	free(t->cells);
	free(t);
}
