// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Rows of figures for people (aligned table), spreadsheets (CSV) or programs (JSON, one object a
// line), from one description of the columns.

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum drb_format { DRB_FORMAT_TABLE, DRB_FORMAT_CSV, DRB_FORMAT_JSON };

// DRB_LOSS: a count of which tables have no column where it is zero in all rows.
enum drb_kind { DRB_TEXT, DRB_COUNT, DRB_LOSS, DRB_INTEGER, DRB_REAL, DRB_FLAG };

struct drb_column {
	const char *key;   // CSV header and JSON key
	const char *title; // table header, with the unit; NULL: the key. "" leaves the column out
			   // of the table (CSV and JSON still have it)
	enum drb_kind kind;
	int decimals; // DRB_REAL in tables; CSV and JSON print the shortest exact-enough form
};

// On a terminal a table is no wider than that: columns that do not fit are left out from the right, and a line
// below names them; words of a last column that is longer go on in further lines. This has tables be whole, of all
// that is printed from then on.
void drb_table_wide(void);
bool drb_table_is_wide(void);

struct drb_table;

// columns must outlive the table. Aborts the program when memory runs out.
struct drb_table *drb_table_new(FILE *out, enum drb_format format, const struct drb_column *columns,
				uint32_t count);
// Cells of the next row, left to right; a row is complete when every column has its cell.
void drb_table_text(struct drb_table *t, const char *value); // NULL: absent
void drb_table_count(struct drb_table *t, uint64_t value);
void drb_table_integer(struct drb_table *t, int64_t value);
void drb_table_real(struct drb_table *t, double value); // NaN: absent ("-", empty, null)
void drb_table_nothing(struct drb_table *t);            // absent, of a column of counts
void drb_table_flag(struct drb_table *t, bool value);   // yes or no; CSV and JSON: true or false
// CSV and JSON rows are written as they complete; a table is written here. Frees t.
void drb_table_end(struct drb_table *t);
