// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Rows of values for people (aligned table), spreadsheets (CSV) or programs (JSON, one object a line).

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum drb_format { DRB_FORMAT_TABLE, DRB_FORMAT_CSV, DRB_FORMAT_JSON };

// On a terminal a table is no wider than that: columns that do not fit are left out from the right, and a line
// below names them; words of a last column that is longer go on in further lines. This has tables be whole, of all
// that is printed from then on.
void drb_table_wide(void);
bool drb_table_is_wide(void);

struct drb_table;

// A table has the columns of its first row; all others must have the same. Without a row nothing is printed.
// The program is aborted when memory runs out.
struct drb_table *drb_table_new(FILE *out, enum drb_format format);
// Prints a row as lines "name value meaning" instead (in table format only).
void drb_table_below(struct drb_table *t);

// Cells of the row, left to right. The key is CSV's heading and JSON's name. The title is the table's heading, with
// the unit; NULL: the key; "": tables have no such column. Both are copied.
void drb_table_text(struct drb_table *t, const char *key, const char *title,
		    const char *value); // NULL: absent
void drb_table_count(struct drb_table *t, const char *key, const char *title, uint64_t value);
// A count that says nothing where it is zero: tables have no column of it if it is in all rows.
void drb_table_loss(struct drb_table *t, const char *key, const char *title, uint64_t value);
void drb_table_nothing(struct drb_table *t, const char *key, const char *title); // of counts
void drb_table_integer(struct drb_table *t, const char *key, const char *title, int64_t value);
// NaN: absent ("-", empty, null). Decimals are those of tables; CSV and JSON have the shortest exact-enough form.
void drb_table_real(struct drb_table *t, const char *key, const char *title, int decimals,
		    double value);
// yes or no; CSV and JSON: true or false
void drb_table_flag(struct drb_table *t, const char *key, const char *title, bool value);
// Of the next cell, for drb_table_below(). It must last until then.
void drb_table_meaning(struct drb_table *t, const char *meaning);
// The row is complete. CSV and JSON are written here, a table by drb_table_end(), which frees t.
void drb_table_row_end(struct drb_table *t);
void drb_table_end(struct drb_table *t);
