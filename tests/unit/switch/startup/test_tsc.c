// SPDX-License-Identifier: BSD-3-Clause
// The frequency of the cycle counter as EAL has it, against the clock over a longer time.
#include "fixtures/unit.h"

#include <time.h>

#include <rte_cycles.h>

#include "switch/startup/tsc.h"

#include "fixtures/switch_eal.h"

static uint64_t drb_clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int setup(void **state)
{
	(void)state;
	drb_tsc_begin();
	return start_eal();
}

// Whatever keeps us from the CPU between a look at the clock and one at the counter makes the
// interval between two outer looks longer, that between two inner ones shorter: the truth is
// between.
static void frequency(void **state)
{
	uint64_t outer_ns = drb_clock_ns(), begin = rte_rdtsc_precise(), inner_ns = drb_clock_ns(),
		 end;
	double slowest, fastest, hz = (double)rte_get_tsc_hz();

	(void)state;
	while (drb_clock_ns() - inner_ns < 100000000)
		;
	uint64_t inner_end = drb_clock_ns();
	end = rte_rdtsc_precise();
	uint64_t outer_end = drb_clock_ns();
	slowest = (double)(end - begin) * 1e9 / (double)(outer_end - outer_ns);
	fastest = (double)(end - begin) * 1e9 / (double)(inner_end - inner_ns);
	assert_true(hz > slowest * 0.998 && hz < fastest * 1.002);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(frequency)};

	return cmocka_run_group_tests_name("tsc", tests, setup, free_eal);
}
