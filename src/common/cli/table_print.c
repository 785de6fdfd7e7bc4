// SPDX-License-Identifier: BSD-3-Clause
#include "common/cli/table_print.h"

#include <limits.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/cli/colour.h"

#define FOLDED_MIN 24 // minimal characters per line, for a text that continues in further lines

// Columns of the terminal; INT_MAX if the output is not a terminal.
static int room_of(const struct drb_table *t)
{
	struct winsize size;

	if (drb_table_is_wide() || !isatty(fileno(t->out)) ||
	    ioctl(fileno(t->out), TIOCGWINSZ, &size) < 0)
		return INT_MAX;
	return size.ws_col ? size.ws_col : INT_MAX;
}

// Prints the words of a text from column `at` on, in as many lines as needed. `at < room`.
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
	fputs(text, out);
}

// Returns the length of a heading's next line in a column of this width. The line has as many words
// as fit, and at least one.
static int piece_of(const char *title, int width)
{
	int length = (int)strcspn(title, "_");

	while (title[length]) {
		const int more = length + 1 + (int)strcspn(title + length + 1, "_");
		if (more > width)
			break;
		length = more;
	}
	return length;
}

static int heading_width(const struct drb_table *t, uint32_t c)
{
	const char *title = drb_table_title(&t->columns[c]);
	int width = t->stacked ? 0 : (int)strlen(title);

	for (const char *word = title; t->stacked && *word; word += *word == '_') {
		const int length = (int)strcspn(word, "_");
		width = length > width ? length : width;
		word += length;
	}
	return width;
}

static int width_of(const struct drb_table *t, uint32_t c)
{
	int width = heading_width(t, c);
	bool zero = t->columns[c].kind == LOSS && !drb_table_is_wide();

	if (width == 0)
		return 0;
	for (size_t i = c; i < t->used; i += t->count) {
		int w = (int)strlen(t->cells[i].text);
		width = w > width ? w : width;
		zero &= strcmp(t->cells[i].text, "0") == 0;
	}
	return zero ? 0 : width;
}

// Returns the number of columns that fit. If the last of these is text, its words may continue in
// further lines.
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
	FILE *out = drb_table_checked(open_memstream(&text, &length));

	fprintf(out, "Left out (--wide shows all):");
	for (uint32_t c = from; c < t->count; c++) {
		if (width[c])
			fprintf(out, "%s %s", c > from ? "," : "", drb_table_title(&t->columns[c]));
	}
	fclose(out);
	print_words(t->out, text, 0, room);
	fputc('\n', t->out);
	free(text);
}

static void print_row(const struct drb_table *t, const int *width, const struct drb_cell *cells,
		      uint32_t count, int room)
{
	uint32_t last = 0;
	int at = 0;

	for (uint32_t c = 0; c < count; c++)
		last = width[c] ? c : last;
	for (uint32_t c = 0; c <= last; c++) {
		const char *text = cells ? cells[c].text : drb_table_title(&t->columns[c]);
		const bool bad = t->coloured && cells && cells[c].bad;
		bool words = t->columns[c].kind == TEXT;
		if (width[c] == 0)
			continue;
		fputs(bad ? DRB_COLOUR_BAD : "", t->out);
		if (c == last && words)
			print_words(t->out, text, at, room);
		else // align numbers by their last digit, names by their first letter
			fprintf(t->out, words ? "%-*s" : "%*s", width[c], text);
		fprintf(t->out, "%s%s", bad ? DRB_COLOUR_END : "", c < last ? "  " : "\n");
		at += width[c] + 2;
	}
}

// Prints the headings in as many lines as needed.
static void print_headings(const struct drb_table *t, const int *width, uint32_t count)
{
	const char **rest = drb_table_checked(calloc(t->count, sizeof(*rest)));
	bool more = true;

	for (uint32_t c = 0; c < count; c++)
		rest[c] = drb_table_title(&t->columns[c]);
	while (more) {
		int gap = 0; // blanks to print before the next text
		more = false;
		for (uint32_t c = 0; c < count; c++) {
			if (width[c] == 0)
				continue;
			const int length = piece_of(rest[c], width[c]);
			const bool left = t->columns[c].kind == TEXT;
			if (length > 0)
				fprintf(t->out, "%*s%.*s", left ? gap : gap + width[c] - length, "",
					length, rest[c]);
			gap = length == 0 ? gap + width[c] : left ? width[c] - length : 0;
			gap += 2;
			rest[c] += length + (rest[c][length] == '_');
			more |= *rest[c] != '\0';
		}
		fputc('\n', t->out);
	}
	free(rest);
}

void drb_table_print(const struct drb_table *t)
{
	int *width = drb_table_checked(calloc(t->count, sizeof(*width)));
	const int room = room_of(t);

	for (uint32_t c = 0; c < t->count; c++)
		width[c] = width_of(t, c);
	const uint32_t count = fitting(t, width, room);
	if (t->stacked)
		print_headings(t, width, count);
	else
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
