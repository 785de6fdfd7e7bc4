// SPDX-License-Identifier: BSD-3-Clause
#include "sim/engine/row_json.h"

#include <math.h>
#include <string.h>

#define TEXT_MAX 64

void sim_put_json_text(FILE *out, const char *text)
{
	fputc('"', out);
	for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
		if (*c == '"' || *c == '\\')
			fprintf(out, "\\%c", *c);
		else if (*c < ' ')
			fprintf(out, "\\u%04x", *c);
		else
			fputc(*c, out);
	}
	fputc('"', out);
}

static void put_real(FILE *out, double value)
{
	char text[TEXT_MAX] = "null";

	if (isfinite(value))
		sim_format_real(value, text, sizeof(text));
	fputs(text, out);
}

static void put_value(FILE *out, const struct sim_cell *cell)
{
	const enum sim_kind kind = cell->column->kind;
	char buffer[TEXT_MAX];

	if (kind == SIM_REALS) {
		const struct sim_reals *list = cell->at;
		fputc('[', out);
		for (uint32_t i = 0; i < list->count; i++) {
			fputs(i ? "," : "", out);
			put_real(out, list->value[i]);
		}
		fputc(']', out);
		return;
	}
	const char *text = sim_cell_text(cell, buffer, sizeof(buffer));
	if (!*text && kind != SIM_TEXT)
		fputs("null", out);
	else if (kind == SIM_TEXT || kind == SIM_NAME || kind == SIM_WORD)
		sim_put_json_text(out, text);
	else
		fputs(text, out);
}

static void put_cells(FILE *out, const struct sim_cell *cell, uint32_t count, const char *before)
{
	for (uint32_t i = 0; i < count; i++, before = ",") {
		fprintf(out, "%s\"%s\":", before, cell[i].name);
		put_value(out, &cell[i]);
	}
}

static void put_part(FILE *out, const struct sim_model *model, const void *point,
		     const struct sim_outcome *outcome, uint32_t part)
{
	const struct sim_part *p = &model->parts[part];
	struct sim_cell cell[SIM_CELLS_MAX];

	fprintf(out, ",\"%s\":[", p->name);
	for (uint64_t i = 0; i < outcome->part[part].count; i++) {
		const char *row = (const char *)outcome->part[part].rows + i * p->row_size;
		fputs(i ? ",{" : "{", out);
		const uint32_t count = sim_cells(model, p->columns, point, row, cell);
		put_cells(out, cell, count, "");
		fputc('}', out);
	}
	fputc(']', out);
}

void sim_row_json(FILE *out, const char *id, const struct sim_model *model, const void *point,
		  const struct sim_outcome *outcome)
{
	struct sim_cell cell[SIM_CELLS_MAX];

	fprintf(out, "{\"id\":%s,\"model\":\"%s\"", id, model->name);
	if (*outcome->error) {
		fputs(",\"error\":", out);
		sim_put_json_text(out, outcome->error);
	} else {
		const uint32_t cells = sim_cells(model, model->columns, point, outcome->row, cell);
		put_cells(out, cell, cells, ",");
		for (uint32_t i = 0; model->parts && model->parts[i].name; i++) {
			if (model->parts[i].asked(point))
				put_part(out, model, point, outcome, i);
		}
	}
	if (*outcome->warning) {
		fputs(",\"warning\":", out);
		sim_put_json_text(out, outcome->warning);
	}
	fputs("}\n", out);
}
