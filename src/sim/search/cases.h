// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// DIR/cases.csv: a row for each case that was tried, by which an interrupted search goes on where it was.

#include <pthread.h>
#include <stdio.h>

#include "sim/search/trial.h"

struct search_row;

struct search_cases {
	// Rows of earlier calls, by their keys. Owned.
	struct search_row *row;
	size_t rows;
	FILE *file;
	pthread_mutex_t lock; // one row at a time; all else is constant once open
	const struct search_setup *setup;
};

// Reads what is there and opens the file for more; or dies.
void search_cases_open(struct search_cases *cases, const char *dir,
		       const struct search_setup *setup);
// True, and what came of it, if the case was tried by an earlier call.
bool search_cases_find(const struct search_cases *cases, const struct search_case *c,
		       struct search_result *result);
// Adds a case; from any thread.
void search_cases_add(struct search_cases *cases, const struct search_case *c,
		      const struct search_result *result);
// Dies if not all could be written.
void search_cases_close(struct search_cases *cases);
