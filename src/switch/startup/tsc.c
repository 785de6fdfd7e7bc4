// SPDX-License-Identifier: BSD-3-Clause
// Where the processor does not report the frequency of its cycle counter (no AMD processor does), EAL
// sleeps for 100 ms while it starts, to measure it. EAL asks the processor by get_tsc_freq_arch(); its
// call is linked to the function here (ld --wrap), which measures over time that the start takes anyway.
#include "switch/startup/tsc.h"

#include <stdint.h>
#include <time.h>

#include <rte_cycles.h>

// The least time to measure over. The two are read within 100 ns of each other: 20 ppm.
#define SPAN_NS 5000000
// Of so many readings the one that was interrupted least is taken.
#define READINGS 8

struct moment {
	uint64_t cycles, ns;
};

static struct moment began;

uint64_t __real_get_tsc_freq_arch(void);
uint64_t __wrap_get_tsc_freq_arch(void);

static uint64_t drb_clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static struct moment now(void)
{
	struct moment best = {0};
	uint64_t shortest = UINT64_MAX;

	for (int i = 0; i < READINGS; i++) {
		uint64_t before = rte_rdtsc_precise(), ns = drb_clock_ns();
		uint64_t took = rte_rdtsc_precise() - before;
		if (took < shortest) {
			shortest = took;
			best = (struct moment){before + took / 2, ns};
		}
	}
	return best;
}

void drb_tsc_begin(void)
{
	began = now();
}

uint64_t __wrap_get_tsc_freq_arch(void)
{
	uint64_t told = __real_get_tsc_freq_arch();
	struct moment end = now();

	if (told)
		return told;
	if (began.ns == 0)
		began = end;
	while (end.ns - began.ns < SPAN_NS) {
		const struct timespec rest = {.tv_nsec = (long)(SPAN_NS - (end.ns - began.ns))};
		nanosleep(&rest, NULL);
		end = now();
	}
	return (uint64_t)((double)(end.cycles - began.cycles) * 1e9 / (double)(end.ns - began.ns));
}
