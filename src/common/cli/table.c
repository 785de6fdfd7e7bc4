// SPDX-License-Identifier: BSD-3-Clause
#include "common/cli/table.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#define CELL_MAX 160

struct drb_table {
	FILE *out;
	enum drb_format format;
	const struct drb_column *columns;
	uint32_t count; // columns
	uint32_t at;    // column of the next cell
	char **cells;   // table format: every cell so far, row by row
	size_t used, room;
	json_t *object; // JSON format: the row being filled
};

static void *checked(void *p)
{
	if (!p) {
		fputs("out of memory\n", stderr);
		abort();
	}
	return p;
}

static const char *title_of(const struct drb_column *c)
{
	return c->title ? c->title : c->key;
}

struct drb_table *drb_table_new(FILE *out, enum drb_format format, const struct drb_column *columns,
				uint32_t count)
{
	struct drb_table *t = checked(calloc(1, sizeof(*t)));

	*t = (struct drb_table){.out = out, .format = format, .columns = columns, .count = count};
	if (format == DRB_FORMAT_CSV) {
		for (uint32_t i = 0; i < count; i++)
			fprintf(out, "%s%s", i ? "," : "", columns[i].key);
		fputc('\n', out);
	}
	return t;
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

// A JSON string cannot hold bytes that are not UTF-8 (a file name may): '?' for each then.
static json_t *json_text(const char *text)
{
	json_t *value = json_string(text);

	if (value)
		return value;
	char *copy = checked(strdup(text));
	for (char *p = copy; *p; p++)
		*p = (signed char)*p < 0 ? '?' : *p;
	value = json_string(copy);
	free(copy);
	return value;
}

// Control characters must not reach a terminal from whatever a name was read from.
static char *table_text(const char *text)
{
	char *copy = checked(strdup(*text ? text : "-"));

	for (char *p = copy; *p; p++)
		*p = iscntrl((unsigned char)*p) ? '?' : *p;
	return copy;
}

// Takes one cell: its text form, and for JSON its value (reference stolen).
static void put(struct drb_table *t, const char *text, json_t *value)
{
	bool last = t->at + 1 == t->count;

	switch (t->format) {
	case DRB_FORMAT_TABLE:
		if (t->used == t->room) {
			t->room = t->room ? 2 * t->room : 64;
			t->cells = checked(realloc(t->cells, t->room * sizeof(*t->cells)));
		}
		t->cells[t->used++] = table_text(text);
		break;
	case DRB_FORMAT_CSV:
		csv_cell(t->out, text);
		fputc(last ? '\n' : ',', t->out);
		break;
	case DRB_FORMAT_JSON:
		if (t->at == 0)
			t->object = checked(json_object());
		json_object_set_new(t->object, t->columns[t->at].key, checked(value));
		if (last) {
			json_dumpf(t->object, t->out, JSON_COMPACT | JSON_REAL_PRECISION(10));
			fputc('\n', t->out);
			json_decref(t->object);
		}
		break;
	}
	t->at = last ? 0 : t->at + 1;
	if (last && t->format != DRB_FORMAT_TABLE)
		fflush(t->out);
}

void drb_table_text(struct drb_table *t, const char *value)
{
	put(t, value ? value : "",
	    t->format != DRB_FORMAT_JSON ? NULL
	    : value                      ? json_text(value)
					 : json_null());
}

void drb_table_count(struct drb_table *t, uint64_t value)
{
	char text[CELL_MAX];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	put(t, text, t->format == DRB_FORMAT_JSON ? json_integer((json_int_t)value) : NULL);
}

void drb_table_integer(struct drb_table *t, int64_t value)
{
	char text[CELL_MAX];

	snprintf(text, sizeof(text), "%" PRId64, value);
	put(t, text, t->format == DRB_FORMAT_JSON ? json_integer(value) : NULL);
}

void drb_table_real(struct drb_table *t, double value)
{
	char text[CELL_MAX] = "";

	if (isfinite(value) && t->format == DRB_FORMAT_TABLE)
		snprintf(text, sizeof(text), "%.*f", t->columns[t->at].decimals, value);
	else if (isfinite(value))
		snprintf(text, sizeof(text), "%.10g", value);
	put(t, text,
	    t->format != DRB_FORMAT_JSON ? NULL
	    : isfinite(value)            ? json_real(value)
					 : json_null());
}

void drb_table_nothing(struct drb_table *t)
{
	put(t, "", t->format == DRB_FORMAT_JSON ? json_null() : NULL);
}

void drb_table_flag(struct drb_table *t, bool value)
{
	if (t->format == DRB_FORMAT_TABLE)
		put(t, value ? "yes" : "no", NULL);
	else
		put(t, value ? "true" : "false",
		    t->format == DRB_FORMAT_JSON ? json_boolean(value) : NULL);
}

static void print_cell(const struct drb_table *t, uint32_t column, const char *text, int width)
{
	// Numbers are read by their last digit, names by their first.
	if (t->columns[column].kind == DRB_TEXT)
		fprintf(t->out, "%-*s", width, text);
	else
		fprintf(t->out, "%*s", width, text);
}

static void print_table(const struct drb_table *t)
{
	int *width = checked(calloc(t->count, sizeof(*width)));
	uint32_t last = 0;

	for (uint32_t c = 0; c < t->count; c++) {
		width[c] = (int)strlen(title_of(&t->columns[c]));
		if (width[c] == 0)
			continue; // left out
		last = c;
		for (size_t i = c; i < t->used; i += t->count) {
			int w = (int)strlen(t->cells[i]);
			width[c] = w > width[c] ? w : width[c];
		}
	}
	for (size_t row = 0; row <= t->used / t->count; row++) {
		for (uint32_t c = 0; c <= last; c++) {
			if (width[c] == 0)
				continue;
			const char *text =
				row ? t->cells[(row - 1) * t->count + c] : title_of(&t->columns[c]);
			bool pad = c < last || t->columns[c].kind != DRB_TEXT;
			print_cell(t, c, text, pad ? width[c] : 0);
			fputs(c < last ? "  " : "\n", t->out);
		}
	}
	free(width);
}

void drb_table_end(struct drb_table *t)
{
	if (t->format == DRB_FORMAT_TABLE && t->count)
		print_table(t);
	for (size_t i = 0; i < t->used; i++)
		free(t->cells[i]);
	free(t->cells);
	free(t);
}
