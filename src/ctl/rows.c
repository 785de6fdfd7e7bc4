// SPDX-License-Identifier: BSD-3-Clause
// Rows whose columns are made up as the first row is filled.

#include "ctl/ctl.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 48

struct cell {
	const char *meaning;
	bool nothing; // of a count
	char text[160];
	uint64_t count;
	int64_t integer;
	double real;
};

struct ctl_rows {
	enum drb_format format;
	bool one_below_other;
	uint32_t columns, at;
	struct drb_column column[COLUMNS_MAX];
	struct cell cell[COLUMNS_MAX];
	struct drb_table *table; // NULL before the end of the first row
};

struct ctl_rows *ctl_rows_new(enum drb_format format, bool one_below_other)
{
	struct ctl_rows *r = calloc(1, sizeof(*r));

	if (!r)
		abort();
	r->format = format;
	r->one_below_other = one_below_other && format == DRB_FORMAT_TABLE;
	return r;
}

static struct cell *next_cell(struct ctl_rows *r, struct drb_column column)
{
	if (!r->table || r->one_below_other) {
		if (r->at == COLUMNS_MAX)
			abort();
		r->column[r->at] = column;
		r->columns = r->at + 1;
	}
	return &r->cell[r->at++];
}

void ctl_text(struct ctl_rows *r, const char *key, const char *title, const char *meaning,
	      const char *value)
{
	struct cell *c = next_cell(r, (struct drb_column){key, title, DRB_TEXT, 0});

	snprintf(c->text, sizeof(c->text), "%s", value);
	c->meaning = meaning;
}

void ctl_count(struct ctl_rows *r, const char *key, const char *title, const char *meaning,
	       uint64_t value)
{
	struct cell *c = next_cell(r, (struct drb_column){key, title, DRB_COUNT, 0});

	c->count = value;
	c->nothing = false;
	c->meaning = meaning;
	snprintf(c->text, sizeof(c->text), "%" PRIu64, value);
}

void ctl_loss(struct ctl_rows *r, const char *key, const char *title, const char *meaning,
	      uint64_t value)
{
	ctl_count(r, key, title, meaning, value);
	r->column[r->at - 1].kind = DRB_LOSS;
}

void ctl_nothing(struct ctl_rows *r, const char *key, const char *title)
{
	struct cell *c = next_cell(r, (struct drb_column){key, title, DRB_COUNT, 0});

	c->nothing = true;
	c->meaning = NULL;
	c->text[0] = '\0';
}

void ctl_integer(struct ctl_rows *r, const char *key, const char *title, const char *meaning,
		 int64_t value)
{
	struct cell *c = next_cell(r, (struct drb_column){key, title, DRB_INTEGER, 0});

	c->integer = value;
	c->meaning = meaning;
	snprintf(c->text, sizeof(c->text), "%" PRId64, value);
}

void ctl_real(struct ctl_rows *r, const char *key, const char *title, const char *meaning,
	      struct ctl_decimal value)
{
	struct cell *c = next_cell(r, (struct drb_column){key, title, DRB_REAL, value.decimals});

	c->real = value.value;
	c->meaning = meaning;
	c->text[0] = '\0';
	if (isfinite(value.value))
		snprintf(c->text, sizeof(c->text), "%.*f", value.decimals, value.value);
}

void ctl_flag(struct ctl_rows *r, const char *key, const char *title, bool value)
{
	struct cell *c = next_cell(r, (struct drb_column){key, title, DRB_FLAG, 0});

	c->count = value;
	c->meaning = "";
	snprintf(c->text, sizeof(c->text), "%s", value ? "yes" : "no");
}

static void put_across(struct ctl_rows *r)
{
	if (!r->table)
		r->table = drb_table_new(stdout, r->format, r->column, r->columns);
	for (uint32_t i = 0; i < r->at; i++) {
		switch (r->column[i].kind) {
		case DRB_TEXT:
			drb_table_text(r->table, r->cell[i].text);
			break;
		case DRB_COUNT:
		case DRB_LOSS:
			if (r->cell[i].nothing)
				drb_table_nothing(r->table);
			else
				drb_table_count(r->table, r->cell[i].count);
			break;
		case DRB_INTEGER:
			drb_table_integer(r->table, r->cell[i].integer);
			break;
		case DRB_REAL:
			drb_table_real(r->table, r->cell[i].real);
			break;
		case DRB_FLAG:
			drb_table_flag(r->table, r->cell[i].count);
			break;
		}
	}
}

static void put_below(struct ctl_rows *r)
{
	// The values are numbers and words mixed: as numbers they stand right-aligned.
	static const struct drb_column lines[] = {
		{"name", NULL, DRB_TEXT, 0},
		{"value", NULL, DRB_COUNT, 0},
		{"meaning", NULL, DRB_TEXT, 0},
	};

	if (!r->table)
		r->table = drb_table_new(stdout, r->format, lines, 3);
	for (uint32_t i = 0; i < r->at; i++) {
		const struct drb_column *c = &r->column[i];
		if ((c->title && !*c->title) ||
		    (c->kind == DRB_LOSS && !r->cell[i].count && !drb_table_is_wide()))
			continue;
		drb_table_text(r->table, c->key);
		drb_table_text(r->table, r->cell[i].text);
		drb_table_text(r->table, r->cell[i].meaning ? r->cell[i].meaning : "");
	}
}

void ctl_row_end(struct ctl_rows *r)
{
	if (r->one_below_other)
		put_below(r);
	else
		put_across(r);
	r->at = 0;
}

void ctl_rows_end(struct ctl_rows *r)
{
	if (r->table)
		drb_table_end(r->table);
	free(r);
}

double ctl_percent(uint64_t part, uint64_t rest)
{
	return part + rest > 0 ? 100.0 * (double)part / (double)(part + rest) : NAN;
}
