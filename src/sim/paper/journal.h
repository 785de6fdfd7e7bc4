// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// DIR/journal.txt: the figures of every finished point, so that an interrupted `drbsim paper` goes
// on where it was.

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

#include "sim/paper/paper.h"

// Private.
struct paper_journal {
	FILE *file;
	pthread_mutex_t lock; // one line at a time
	bool failed;          // to write a line
	char path[PAPER_PATH_MAX];
};

// Fills in the points that the journal holds, if there is one.
void paper_journal_read(struct paper *p);

// Opens the journal for more points, or dies.
void paper_journal_open(struct paper_journal *j, const struct paper *p);
// Adds a finished point; from any thread.
void paper_journal_write(struct paper_journal *j, const struct paper_point *point);
// Warns if not all of it could be written.
void paper_journal_close(struct paper_journal *j);
