// SPDX-License-Identifier: BSD-3-Clause
// A recorded process is told from a later one with its number.
#include "fixtures/unit.h"

#include <inttypes.h>
#include <unistd.h>

#include "ctl/metrics/records.h"

TEST(a_process_runs_if_it_started_then)
{
	struct metrics_recorded r = {.pid = (uint64_t)getpid()};
	char text[1024];

	FILE *file = fopen("/proc/self/stat", "re");
	assert_non_null(file);
	assert_non_null(fgets(text, sizeof(text), file));
	fclose(file);
	assert_int_equal(sscanf(strrchr(text, ')'),
				") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d "
				"%*d %*d %*d %" SCNu64,
				&r.started),
			 1);
	assert_true(metrics_record_runs(&r));
	r.started++;
	assert_false(metrics_record_runs(&r));
	r = (struct metrics_recorded){.pid = UINT64_C(1) << 40};
	assert_false(metrics_record_runs(&r));
	r.pid = 0; // stopped
	assert_false(metrics_record_runs(&r));
}

TEST_MAIN(NULL, NULL)
