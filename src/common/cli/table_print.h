// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Prints a table for people once all of its rows are complete. Private to table.c.

#include <stdlib.h>

#include <jansson.h>

#include "common/cli/table.h"

enum drb_cell_kind { TEXT, COUNT, LOSS, INTEGER, REAL, FLAG };

struct drb_column {
	const char *key, *title;
	enum drb_cell_kind kind;
};

struct drb_cell {
	char *text; // owned
	bool bad;   // bold and red on terminals
};

struct drb_table {
	FILE *out;
	enum drb_format format;
	bool below, stacked, coloured;
	const char *meaning; // meaning of the next cell
	struct drb_column *columns;
	uint32_t count;         // columns
	uint32_t at;            // column of the next cell
	bool any;               // rows are complete
	bool bad;               // the next cell shows something wrong
	struct drb_cell *cells; // every cell so far, row by row; in CSV only this row
	size_t used, room;
	json_t *object; // JSON: this row
};

// Aborts the program if the allocation failed.
static inline void *drb_table_checked(void *p)
{
	if (!p) {
		fputs("out of memory\n", stderr);
		abort();
	}
	return p;
}

static inline const char *drb_table_title(const struct drb_column *c)
{
	return c->title ? c->title : c->key;
}

void drb_table_print(const struct drb_table *t);
