// SPDX-License-Identifier: BSD-3-Clause
// Many runs at once: each is made once, whatever the number of threads.
#include "fixtures/unit.h"

#include <stdatomic.h>

#include "sim/runs/jobs.h"

struct runs {
	uint32_t threads;
	_Atomic uint64_t made;
	_Atomic bool bad_thread;
	uint64_t *result; // [i]: how often i was run, times a value of i
};

static void run(void *context, uint64_t i, uint32_t thread)
{
	struct runs *runs = context;

	if (thread >= runs->threads)
		runs->bad_thread = true;
	runs->result[i] += 3 * i + 1;
	runs->made++;
}

static void check(uint64_t count, uint32_t threads, const double *cost)
{
	struct runs runs = {.threads = threads, .result = calloc(count + 1, sizeof(*runs.result))};

	assert_non_null(runs.result);
	sim_jobs_run(&(struct sim_jobs){.count = count,
					.job = run,
					.context = &runs,
					.threads = threads,
					.cost = cost,
					.what = "testing",
					.results = runs.result,
					.result_bytes = count * sizeof(*runs.result)});
	assert_int_equal(runs.made, count);
	assert_false(runs.bad_thread);
	for (uint64_t i = 0; i < count; i++)
		assert_int_equal(runs.result[i], 3 * i + 1);
	assert_int_equal(runs.result[count], 0);
	free(runs.result);
}

TEST(every_job_runs_once)
{
	static const uint64_t counts[] = {0, 1, 2, 7, 1000};
	static const uint32_t threads[] = {1, 2, 8};

	for (size_t c = 0; c < ARRAY_SIZE(counts); c++) {
		for (size_t t = 0; t < ARRAY_SIZE(threads); t++)
			check(counts[c], threads[t], NULL);
	}
}

TEST(costs_change_nothing)
{
	static const double cost[100] = {[0] = 1e6, [50] = 0.5, [99] = 7};

	check(ARRAY_SIZE(cost), 1, cost);
	check(ARRAY_SIZE(cost), 4, cost);
}

TEST_MAIN(NULL, NULL)
