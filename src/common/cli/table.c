// SPDX-License-Identifier: BSD-3-Clause
#include "common/cli/table.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <jansson.h>

#define CELL_MAX 160
#define FOLDED_MIN 24 // characters a line, of a text that goes on in further lines

static bool wide;

void drb_table_wide(void)
{
	wide = true;
}

bool drb_table_is_wide(void)
{
	return wide;
}

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

// Columns of the terminal, INT_MAX if it is none.
static int room_of(const struct drb_table *t)
{
	struct winsize size;

	if (wide || !isatty(fileno(t->out)) || ioctl(fileno(t->out), TIOCGWINSZ, &size) < 0)
		return INT_MAX;
	return size.ws_col ? size.ws_col : INT_MAX;
}

// Words of a text from column `at` on, in as many lines as they take; at < room.
static void print_words(FILE *out, const char *text, int at, int room)
{
	while ((int)strlen(text) > room - at) {
		int length = room - at;
		for (int i = length; i > 0; i--) {
			if (text[i] == ' ') {
				length = i;
				break;
			}
		}
		fprintf(out, "%.*s\n%*s", length, text, at, "");
		text += length;
		text += *text == ' ';
	}
	fprintf(out, "%s\n", text);
}

static int width_of(const struct drb_table *t, uint32_t c)
{
	int width = (int)strlen(title_of(&t->columns[c]));
	bool zero = t->columns[c].kind == DRB_LOSS && !wide;

	if (width == 0)
		return 0;
	for (size_t i = c; i < t->used; i += t->count) {
		int w = (int)strlen(t->cells[i]);
		width = w > width ? w : width;
		zero &= strcmp(t->cells[i], "0") == 0;
	}
	return zero ? 0 : width;
}

// How many columns fit. Of the last one that does, if it is text, the words may go on in further lines.
static uint32_t fitting(const struct drb_table *t, const int *width, int room)
{
	int used = 0;

	for (uint32_t c = 0; c < t->count; c++) {
		bool folds = t->columns[c].kind == DRB_TEXT && used + FOLDED_MIN <= room;
		if (width[c] == 0)
			continue;
		if (used + width[c] > room)
			return c + (folds || used == 0);
		used += width[c] + 2;
	}
	return t->count;
}

static void name_left_out(const struct drb_table *t, const int *width, uint32_t from, int room)
{
	char *text = NULL;
	size_t length;
	FILE *out = checked(open_memstream(&text, &length));

	fprintf(out, "Left out (--wide shows all):");
	for (uint32_t c = from; c < t->count; c++) {
		if (width[c])
			fprintf(out, "%s %s", c > from ? "," : "", title_of(&t->columns[c]));
	}
	fclose(out);
	print_words(t->out, text, 0, room);
	free(text);
}

static void print_row(const struct drb_table *t, const int *width, char *const *cells,
		      uint32_t count, int room)
{
	uint32_t last = 0;
	int at = 0;

	for (uint32_t c = 0; c < count; c++)
		last = width[c] ? c : last;
	for (uint32_t c = 0; c <= last; c++) {
		const char *text = cells ? cells[c] : title_of(&t->columns[c]);
		bool words = t->columns[c].kind == DRB_TEXT;
		if (width[c] == 0)
			continue;
		if (c == last && words)
			print_words(t->out, text, at, room);
		else // numbers are read by their last digit, names by their first
			fprintf(t->out, words ? "%-*s%s" : "%*s%s", width[c], text,
				c < last ? "  " : "\n");
		at += width[c] + 2;
	}
}

static void print_table(const struct drb_table *t)
{
	int *width = checked(calloc(t->count, sizeof(*width)));
	const int room = room_of(t);

	for (uint32_t c = 0; c < t->count; c++)
		width[c] = width_of(t, c);
	const uint32_t count = fitting(t, width, room);
	print_row(t, width, NULL, count, room);
	for (size_t i = 0; i < t->used; i += t->count)
		print_row(t, width, t->cells + i, count, room);
	for (uint32_t c = count; c < t->count; c++) {
		if (width[c]) {
			name_left_out(t, width, c, room);
			break;
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
