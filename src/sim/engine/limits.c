// SPDX-License-Identifier: BSD-3-Clause
#include "sim/engine/limits.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "common/cli/log.h"
#include "common/cli/quantity.h"

#define GIB (UINT64_C(1) << 30)

static uint32_t cpus(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 ? (uint32_t)CPU_COUNT(&set) : 1;
}

// The first number after `key` in a file of "key number" lines; UINT64_MAX if there is none.
static uint64_t read_number(const char *path, const char *key)
{
	char line[256];
	uint64_t value = UINT64_MAX;
	FILE *f = fopen(path, "r");

	while (f && value == UINT64_MAX && fgets(line, sizeof(line), f)) {
		if (strncmp(line, key, strlen(key)) == 0)
			sscanf(line + strlen(key), "%" SCNu64, &value);
	}
	if (f)
		fclose(f);
	return value;
}

// Bytes that the machine has free, or that the container's control group allows if that is less.
static uint64_t free_memory(void)
{
	uint64_t kib = read_number("/proc/meminfo", "MemAvailable:");
	uint64_t group = read_number("/sys/fs/cgroup/memory.max", "");
	uint64_t bytes = kib == UINT64_MAX ? 4 * GIB : kib * 1024;

	return group < bytes ? group : bytes;
}

struct sim_limits sim_limits_default(void)
{
	return (struct sim_limits){.threads = cpus(), .memory = free_memory() / 4 * 3};
}

static void parse_memory(const struct drb_option *o, const char *text, void *bytes)
{
	double gib;

	if (drb_parse_real(text, o->least, o->most, &gib) < 0)
		drb_die("--memory %s: must be a number of GiB, such as 4", text);
	*(uint64_t *)bytes = (uint64_t)(gib * (double)GIB);
}

#define AT(field) offsetof(struct sim_limits, field)

const struct drb_option sim_limits_options[] = {
	{"--threads", "COUNT",
	 "Concurrent runs; if there are fewer, packet shares each among several threads (default: "
	 "one per CPU); does not change the figures",
	 .kind = DRB_OPTION_U32, AT(threads), 1, 4096, .letter = 'j'},
	{"--memory", "GIB", "Memory for all runs (default: 3/4 of the free memory)",
	 .kind = DRB_OPTION_OTHER, AT(memory), 1e-3, 1e6, parse_memory},
	{0},
};
