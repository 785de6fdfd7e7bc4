// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What the paper claims, each claim with what it is judged by: one table, of which the report and
// claims.csv are made.

#include "sim/paper/paper.h"

#define PAPER_EXACT UINT32_MAX

// What comparisons of figures say of a claim. A comparison has a margin, which is above 0 where it speaks
// for the claim, and an interval of 95 %, within which the true margin is. It decides only if all of that
// is on one side of 0.
struct paper_judgement {
	uint32_t hold, fail, open; // comparisons
	uint32_t runs;             // the fewest behind one of them; PAPER_EXACT: no chance in it
	double margin, half;       // the least margin, and half the width of its interval
	char where[64];            // it is
};

enum paper_outcome { PAPER_REPRODUCED, PAPER_NOT_REPRODUCED, PAPER_UNDECIDED, PAPER_NOT_TESTABLE };

struct paper_claim {
	const char *section, *source; // of the paper: "4.1", "Fig. 4"
	const char *says;
	const char *margin; // what is compared; of what is not testable, why not
	void (*judge)(const struct paper *p, struct paper_judgement *j); // NULL: not testable
	const char *
		figure; // of the report, with -F<l>-<d> for each tree if it ends in '-'; NULL: none
};

extern const struct paper_claim paper_claim[];
extern const uint32_t paper_claims;

// All points are done.
struct paper_judgement paper_judge(const struct paper *p, const struct paper_claim *claim);
// Reproduced if all comparisons hold, not if any fails, undecided in between.
enum paper_outcome paper_outcome(const struct paper_judgement *j);
const char *paper_outcome_name(enum paper_outcome outcome);
