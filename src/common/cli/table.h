// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Rows of values for people (aligned table), spreadsheets (CSV) or programs (JSON, one object per
// line).

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/cli/unknown.h"

enum drb_format { DRB_FORMAT_TABLE, DRB_FORMAT_CSV, DRB_FORMAT_JSON };

// On a terminal a table is at most as wide as the terminal. Columns that do not fit are left out
// from the right, and a line below names them. The words of a last text column that is too long
// continue in further lines. After this call all tables are printed whole.
void drb_table_wide(void);
bool drb_table_is_wide(void);

struct drb_table;

// A table has the columns of its first row; all other rows must have the same. A table without rows
// prints nothing. The program aborts when memory runs out.
struct drb_table *drb_table_new(FILE *out, enum drb_format format);
// Breaks headings that are wider than their columns into several lines, after an underscore (in
// table format only).
void drb_table_stack(struct drb_table *t);
// Prints a row as lines "name value meaning" instead (in table format only).
void drb_table_below(struct drb_table *t);

// These add the cells of the row, from left to right. The key is the heading in CSV and the name in
// JSON. The title is the heading in tables, with the unit. Title NULL: the key is the heading; "":
// tables have no such column. Key and title are copied.
void drb_table_text(struct drb_table *t, const char *key, const char *title,
		    const char *value); // NULL: absent
// DRB_UNKNOWN: absent, as NaN below.
void drb_table_count(struct drb_table *t, const char *key, const char *title, uint64_t value);
// A count that matters only if it is not zero. Tables omit its column if all its values are zero.
void drb_table_loss(struct drb_table *t, const char *key, const char *title, uint64_t value);
void drb_table_integer(struct drb_table *t, const char *key, const char *title, int64_t value);
// NaN: absent ("-", empty, null). decimals: for tables; CSV and JSON use the shortest form that is
// exact enough.
void drb_table_real(struct drb_table *t, const char *key, const char *title, int decimals,
		    double value);
// Prints yes or no; in CSV and JSON true or false.
void drb_table_flag(struct drb_table *t, const char *key, const char *title, bool value);
// Sets the meaning of the next cell, for drb_table_below(). The text must last until then.
void drb_table_meaning(struct drb_table *t, const char *meaning);
// Says whether the next cell shows something wrong: terminals print it bold and red (colour.h).
void drb_table_bad(struct drb_table *t, bool bad);
// Ends the row. CSV and JSON are written here; drb_table_end() writes a table and frees t.
void drb_table_row_end(struct drb_table *t);
void drb_table_end(struct drb_table *t);
