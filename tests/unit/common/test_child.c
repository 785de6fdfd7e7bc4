// SPDX-License-Identifier: BSD-3-Clause
// A child that waits for a CPU has not used up its time; one that sleeps has.
#include "fixtures/unit.h"

#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/schemes/child.h"
#include "common/schemes/rig.h"

#define PATIENCE_MS 200
#define WORK_MS 40
#define HOGS 4

static pid_t hog[HOGS];

static void stay_on_one_cpu(void)
{
	cpu_set_t may, one;

	CPU_ZERO(&may);
	CPU_ZERO(&one);
	assert_int_equal(sched_getaffinity(0, sizeof(may), &may), 0);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, &may)) {
			CPU_SET(cpu, &one);
			break;
		}
	}
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
}

static int begin_hogs(void **state)
{
	(void)state;
	for (int i = 0; i < HOGS; i++) {
		hog[i] = fork();
		if (hog[i] == 0) {
			stay_on_one_cpu();
			for (;;)
				;
		}
	}
	return 0;
}

static int end_hogs(void **state)
{
	(void)state;
	for (int i = 0; i < HOGS; i++) {
		kill(hog[i], SIGKILL);
		waitpid(hog[i], NULL, 0);
	}
	return 0;
}

static int64_t ran_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * INT64_C(1000) + t.tv_nsec / 1000000;
}

static void work_beside_hogs(void *context, char why[DRB_SCHEME_WHY])
{
	(void)context, (void)why;
	stay_on_one_cpu();
	(void)!nice(5);
	while (ran_ms() < WORK_MS)
		;
}

static void sleep_too_long(void *context, char why[DRB_SCHEME_WHY])
{
	(void)context, (void)why;
	sleep(30);
}

TEST_WITH(a_busy_machine_takes_no_time, begin_hogs, end_hogs)
{
	char why[DRB_SCHEME_WHY] = "";
	struct timespec begun, ended;

	clock_gettime(CLOCK_MONOTONIC, &begun);
	assert_int_equal(drb_child_run(work_beside_hogs, NULL, PATIENCE_MS, why), 0);
	clock_gettime(CLOCK_MONOTONIC, &ended);
	print_message("# %d ms of work took %.0f ms\n", WORK_MS,
		      (double)(ended.tv_sec - begun.tv_sec) * 1e3 +
			      (double)(ended.tv_nsec - begun.tv_nsec) / 1e6);
}

TEST(a_sleeper_is_refused)
{
	char why[DRB_SCHEME_WHY] = "";

	assert_int_equal(drb_child_run(sleep_too_long, NULL, PATIENCE_MS, why), -ETIMEDOUT);
	assert_string_equal(why, "does not return within 0 s when it is tried out");
	assert_int_equal(drb_child_run(sleep_too_long, NULL, 30000, why), -ETIMEDOUT);
	assert_string_equal(why, "sleeps when it is tried out: a scheme waits for nothing");
}

static void call_and_sleep(void *context, char why[DRB_SCHEME_WHY])
{
	*drb_rig_called = context;
	sleep_too_long(NULL, why);
}

TEST(the_member_is_named)
{
	char why[DRB_SCHEME_WHY] = "", member[] = "look()";

	assert_int_equal(drb_child_run(call_and_sleep, member, 30000, why), -ETIMEDOUT);
	assert_string_equal(why,
			    "sleeps in look() when it is tried out: a scheme waits for nothing");
	assert_null(*drb_rig_called);
}

TEST_MAIN(NULL, NULL)
