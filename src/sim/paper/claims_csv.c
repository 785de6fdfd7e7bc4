// SPDX-License-Identifier: BSD-3-Clause
#include "sim/paper/claims_csv.h"

#include <math.h>

#include "common/cli/table.h"

#include "sim/paper/claims.h"
#include "sim/paper/output.h"

static void put(struct drb_table *table, const struct paper_claim *claim,
		const struct paper_judgement *j)
{
	bool exact = j->runs == PAPER_EXACT;

	drb_table_text(table, claim->section);
	drb_table_text(table, claim->source);
	drb_table_text(table, claim->says);
	drb_table_text(table, claim->margin);
	drb_table_text(table, paper_outcome_name(paper_outcome(j)));
	drb_table_count(table, j->hold);
	drb_table_count(table, j->fail);
	drb_table_count(table, j->open);
	drb_table_real(table, j->margin);
	drb_table_real(table, exact ? NAN : j->half);
	drb_table_text(table, j->where);
	drb_table_count(table, exact ? 0 : j->runs);
}

void paper_claims_csv(const struct paper *p)
{
	static const struct drb_column columns[] = {
		{"section", NULL, DRB_TEXT, 0},      {"source", NULL, DRB_TEXT, 0},
		{"claim", NULL, DRB_TEXT, 0},        {"margin_of", NULL, DRB_TEXT, 0},
		{"verdict", NULL, DRB_TEXT, 0},      {"hold", NULL, DRB_COUNT, 0},
		{"fail", NULL, DRB_COUNT, 0},        {"undecided", NULL, DRB_COUNT, 0},
		{"least_margin", NULL, DRB_REAL, 4}, {"least_margin_half", NULL, DRB_REAL, 4},
		{"where", NULL, DRB_TEXT, 0},        {"runs", NULL, DRB_COUNT, 0},
	};
	FILE *f = paper_open(p, "claims.csv");
	struct drb_table *table =
		drb_table_new(f, DRB_FORMAT_CSV, columns, sizeof(columns) / sizeof(columns[0]));

	for (uint32_t i = 0; i < paper_claims; i++) {
		struct paper_judgement j = paper_judge(p, &paper_claim[i]);
		put(table, &paper_claim[i], &j);
	}
	drb_table_end(table);
	paper_close(p, f, "claims.csv");
}
