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

enum kind { TEXT, COUNT, LOSS, INTEGER, REAL, FLAG };

struct column {
	const char *key, *title;
	enum kind kind;
};

struct drb_table {
	FILE *out;
	enum drb_format format;
	bool below;
	const char *meaning; // of the next cell
	struct column *columns;
	uint32_t count; // columns
	uint32_t at;    // column of the next cell
	bool any;       // rows are complete
	char **cells;   // every cell so far, row by row; CSV: of this row
	size_t used, room;
	json_t *object; // JSON: this row
};

static void *checked(void *p)
{
	if (!p) {
		fputs("out of memory\n", stderr);
		abort();
	}
	return p;
}

static char *copied(const char *text)
{
	return checked(strdup(text));
}

static const char *title_of(const struct column *c)
{
	return c->title ? c->title : c->key;
}

static void add_column(struct drb_table *t, struct column c)
{
	t->columns = checked(realloc(t->columns, (t->count + 1) * sizeof(*t->columns)));
	t->columns[t->count++] =
		(struct column){copied(c.key), c.title ? copied(c.title) : NULL, c.kind};
}

struct drb_table *drb_table_new(FILE *out, enum drb_format format)
{
	struct drb_table *t = checked(calloc(1, sizeof(*t)));

	t->out = out;
	t->format = format;
	return t;
}

void drb_table_below(struct drb_table *t)
{
	t->below = t->format == DRB_FORMAT_TABLE;
	if (!t->below)
		return;
	add_column(t, (struct column){"name", NULL, TEXT});
	// The values are numbers and words mixed: as numbers they stand right-aligned.
	add_column(t, (struct column){"value", NULL, COUNT});
	add_column(t, (struct column){"meaning", NULL, TEXT});
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

static void push(struct drb_table *t, char *cell)
{
	if (t->used == t->room) {
		t->room = t->room ? 2 * t->room : 64;
		t->cells = checked(realloc(t->cells, t->room * sizeof(*t->cells)));
	}
	t->cells[t->used++] = cell;
}

static void put_below(struct drb_table *t, const struct column *c, const char *text)
{
	if (!*title_of(c) || (c->kind == LOSS && strcmp(text, "0") == 0 && !wide))
		return;
	push(t, table_text(c->key));
	push(t, table_text(text));
	push(t, table_text(t->meaning ? t->meaning : ""));
}

// Takes one cell: its text form, and for JSON its value (reference stolen).
static void put(struct drb_table *t, struct column c, const char *text, json_t *value)
{
	if (t->below)
		put_below(t, &c, text);
	else if (!t->any)
		add_column(t, c);
	if (t->format == DRB_FORMAT_JSON) {
		if (t->at == 0)
			t->object = checked(json_object());
		json_object_set_new(t->object, c.key, checked(value));
	} else if (!t->below) {
		push(t, t->format == DRB_FORMAT_TABLE ? table_text(text) : copied(text));
	}
	t->at++;
	t->meaning = NULL;
}

// Values are made for JSON alone.
#define JSON(t, value) ((t)->format == DRB_FORMAT_JSON ? (value) : NULL)

void drb_table_text(struct drb_table *t, const char *key, const char *title, const char *value)
{
	put(t, (struct column){key, title, TEXT}, value ? value : "",
	    JSON(t, value ? json_text(value) : json_null()));
}

static void put_count(struct drb_table *t, struct column c, uint64_t value)
{
	char text[CELL_MAX];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	put(t, c, text, JSON(t, json_integer((json_int_t)value)));
}

void drb_table_count(struct drb_table *t, const char *key, const char *title, uint64_t value)
{
	put_count(t, (struct column){key, title, COUNT}, value);
}

void drb_table_loss(struct drb_table *t, const char *key, const char *title, uint64_t value)
{
	put_count(t, (struct column){key, title, LOSS}, value);
}

void drb_table_nothing(struct drb_table *t, const char *key, const char *title)
{
	put(t, (struct column){key, title, COUNT}, "", JSON(t, json_null()));
}

void drb_table_integer(struct drb_table *t, const char *key, const char *title, int64_t value)
{
	char text[CELL_MAX];

	snprintf(text, sizeof(text), "%" PRId64, value);
	put(t, (struct column){key, title, INTEGER}, text, JSON(t, json_integer(value)));
}

void drb_table_real(struct drb_table *t, const char *key, const char *title, int decimals,
		    double value)
{
	char text[CELL_MAX] = "";

	if (isfinite(value) && t->format == DRB_FORMAT_TABLE)
		snprintf(text, sizeof(text), "%.*f", decimals, value);
	else if (isfinite(value))
		snprintf(text, sizeof(text), "%.10g", value);
	put(t, (struct column){key, title, REAL}, text,
	    JSON(t, isfinite(value) ? json_real(value) : json_null()));
}

void drb_table_flag(struct drb_table *t, const char *key, const char *title, bool value)
{
	static const char *const words[][2] = {{"no", "yes"}, {"false", "true"}};

	put(t, (struct column){key, title, FLAG}, words[t->format != DRB_FORMAT_TABLE][value],
	    JSON(t, json_boolean(value)));
}

void drb_table_meaning(struct drb_table *t, const char *meaning)
{
	t->meaning = meaning;
}

static void end_csv(struct drb_table *t)
{
	for (uint32_t i = 0; i < t->count && !t->any; i++)
		fprintf(t->out, "%s%c", t->columns[i].key, i + 1 < t->count ? ',' : '\n');
	for (uint32_t i = 0; i < t->count; i++) {
		csv_cell(t->out, t->cells[i]);
		fputc(i + 1 < t->count ? ',' : '\n', t->out);
		free(t->cells[i]);
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
	bool zero = t->columns[c].kind == LOSS && !wide;

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
		bool folds = t->columns[c].kind == TEXT && used + FOLDED_MIN <= room;
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
		bool words = t->columns[c].kind == TEXT;
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
	if (t->format == DRB_FORMAT_TABLE && t->any)
		print_table(t);
	for (size_t i = 0; i < t->used; i++)
		free(t->cells[i]);
	for (uint32_t c = 0; c < t->count; c++) {
		free((char *)t->columns[c].key);
		free((char *)t->columns[c].title);
	}
	free(t->columns);
	free(t->cells);
	free(t);
}
