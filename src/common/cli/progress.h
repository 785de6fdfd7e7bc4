// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A progress line with the time left on standard error if that is a terminal; else nothing. One line at a
// time, from one thread.

#include <stdbool.h>
#include <stdint.h>

struct drb_progress {
	const char *what; // "sending"
	uint64_t total;
	// Private.
	bool shown;
	uint64_t start_ns, last_ns;
};

// total 0: not known, the time passed is shown instead of the time left.
void drb_progress_begin(struct drb_progress *p, const char *what, uint64_t total);
// Cheap: draws at most a few times a second.
void drb_progress_update(struct drb_progress *p, uint64_t done);
// Removes the line.
void drb_progress_end(struct drb_progress *p);
