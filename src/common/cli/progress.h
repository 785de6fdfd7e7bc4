// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A progress line with the remaining time on standard error, if that is a terminal. One line at a
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

// total 0: not known; the elapsed time is shown instead of the remaining time.
void drb_progress_begin(struct drb_progress *p, const char *what, uint64_t total);
// Cheap: draws at most a few times a second.
void drb_progress_update(struct drb_progress *p, uint64_t done);
// Removes the line until it is drawn again, so that something else can be printed.
void drb_progress_hide(struct drb_progress *p);
// Removes the line.
void drb_progress_end(struct drb_progress *p);
