// SPDX-License-Identifier: BSD-3-Clause
// A recorded process is told from a later one with its number, and from one that has ended.
#include "fixtures/unit.h"

#include <inttypes.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ctl/metrics/records.h"

static struct metrics_recorded record_of(pid_t pid)
{
	struct metrics_recorded r = {.pid = (uint64_t)pid};
	char text[1024];

	snprintf(text, sizeof(text), "/proc/%d/stat", (int)pid);
	FILE *file = fopen(text, "re");
	assert_non_null(file);
	assert_non_null(fgets(text, sizeof(text), file));
	fclose(file);
	assert_int_equal(sscanf(strrchr(text, ')'),
				") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d "
				"%*d %*d %*d %" SCNu64,
				&r.started),
			 1);
	return r;
}

TEST(a_process_runs_if_it_started_then)
{
	struct metrics_recorded r = record_of(getpid());

	assert_true(metrics_record_runs(&r));
	r.started++;
	assert_false(metrics_record_runs(&r));
	r = (struct metrics_recorded){.pid = UINT64_C(1) << 40};
	assert_false(metrics_record_runs(&r));
	r.pid = 0; // stopped
	assert_false(metrics_record_runs(&r));
}

// A killed switch stays in /proc until its parent, perhaps a container's first process, waits.
TEST(a_process_that_nobody_awaits_does_not_run)
{
	const pid_t child = fork();
	siginfo_t info;

	if (child == 0)
		_exit(0);
	assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
	const struct metrics_recorded r = record_of(child);
	assert_false(metrics_record_runs(&r));
	assert_int_equal(waitpid(child, NULL, 0), child);
}

TEST_MAIN(NULL, NULL)
