// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Many independent runs at once.

#include <stddef.h>
#include <stdint.h>

// Jobs share nothing but what context makes safe, so the number of threads changes no result.
struct sim_jobs {
	uint64_t count;
	// Called once for every i in [0, count), in rising order of i; thread < threads.
	void (*job)(void *context, uint64_t i, uint32_t thread);
	void *context;
	uint32_t threads;   // at once, the calling one among them
	const double *cost; // [i]: what job i takes, in any unit; NULL: all take the same
	const char *what;   // name of the work, for the line of progress
	// What the jobs fill in: all zero before, result_bytes long.
	void *results;
	size_t result_bytes;
};

// Zeroed memory for results, which the caller frees; dies without.
void *sim_results_new(uint64_t count, size_t size);

// Runs all jobs and shows progress, with the time left by their cost. Under MPI each rank takes its
// share of them; the results are put together in rank 0, which alone returns.
void sim_jobs_run(const struct sim_jobs *jobs);
