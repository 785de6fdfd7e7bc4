// SPDX-License-Identifier: BSD-3-Clause
// What the paper claims, and which of it was reproduced.
#include "sim/paper/report_parts.h"

#include <math.h>
#include <string.h>

#include "sim/paper/claims.h"
#include "sim/paper/points.h"

static const char *class_of(enum paper_outcome outcome)
{
	return outcome == PAPER_REPRODUCED       ? "yes"
	       : outcome == PAPER_NOT_REPRODUCED ? "no"
						 : "open";
}

static void figures_of(FILE *f, const struct paper_claim *claim)
{
	size_t length = claim->figure ? strlen(claim->figure) : 0;

	if (length == 0)
		return;
	if (claim->figure[length - 1] != '-') {
		fprintf(f, "<a href=\"#%s\">%s</a>", claim->figure, claim->figure);
		return;
	}
	for (int i = 0; i < 2; i++)
		fprintf(f, "%s<a href=\"#%sF%u-%u\">%sF%u-%u</a>", i ? "<br>" : "", claim->figure,
			paper_trees[i][0], paper_trees[i][1], claim->figure, paper_trees[i][0],
			paper_trees[i][1]);
}

static void row(const struct paper *p, FILE *f, const struct paper_claim *claim)
{
	struct paper_judgement j = paper_judge(p, claim);
	enum paper_outcome outcome = paper_outcome(&j);

	fprintf(f, "<tr><td>%s</td><td>%s</td><td class=\"text\">%s<br><i>%s</i></td>",
		claim->section, claim->source, claim->says, claim->margin);
	fprintf(f, "<td class=\"%s\">%s</td>", class_of(outcome), paper_outcome_name(outcome));
	if (outcome == PAPER_NOT_TESTABLE) {
		fprintf(f, "<td></td><td></td><td></td></tr>\n");
		return;
	}
	fprintf(f, "<td>%u, %u, %u</td><td>%.3g", j.hold, j.fail, j.open, j.margin);
	if (!isnan(j.half) && j.half > 0)
		fprintf(f, " &plusmn; %.2g", j.half);
	fprintf(f, "<br>%s", j.where);
	if (j.runs < PAPER_EXACT)
		fprintf(f, "<br>%u runs", j.runs);
	fprintf(f, "</td><td>");
	figures_of(f, claim);
	fprintf(f, "</td></tr>\n");
}

void report_claims(const struct paper *p, FILE *f)
{
	fprintf(f,
		"<h2>What the paper claims</h2>\n<p>Every claim of its text, and what it is judged "
		"by "
		"(in italics). A comparison has a margin, which is above 0 where it speaks for the "
		"claim, and a 95 %% interval over runs with different seeds (Student's t); it "
		"counts "
		"only if all of the interval is on one side of 0. A claim is reproduced if all "
		"comparisons hold, not reproduced if any fails. Tolerances are ours: the paper "
		"names none, and its source has no values of the figures and of Table 1.</p>\n"
		"<table><tr><th>section</th><th>source</th><th>claim</th><th>verdict</th>"
		"<th>hold, fail, undecided</th><th>least margin</th><th>figure</th></tr>\n");
	for (uint32_t i = 0; i < paper_claims; i++)
		row(p, f, &paper_claim[i]);
	fprintf(f, "</table>\n");
}
