// SPDX-License-Identifier: BSD-3-Clause
// Prints how a running switch decided, and what its ports have queued:
//   counters INSTANCE          such as: counters drb-s1-0
#include <drb/stats.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const decisions[] = {"up_default", "up_redirected", "up_walked", "down"};

static int fail(const char *what, int error)
{
	fprintf(stderr, "counters: %s: %s\n", what, strerror(-error));
	return 1;
}

int main(int argc, char **argv)
{
	struct drb_stats *s = argc == 2 ? drb_stats_open(argv[1], 2000) : NULL;
	uint64_t value;
	int rc;

	if (argc != 2)
		return fprintf(stderr, "counters INSTANCE\n"), 2;
	if (!s)
		return perror(argv[1]), 1;
	if ((rc = drb_stats_ask(s, "/drb/routing")) < 0)
		return fail(argv[1], rc);
	printf("scheme %s\n", drb_stats_text(s, "scheme", 0));
	for (unsigned i = 0; i < sizeof(decisions) / sizeof(decisions[0]); i++) {
		if ((rc = drb_stats_number(s, decisions[i], 0, &value)) < 0)
			return fail(decisions[i], rc);
		printf("%-14s %12" PRIu64 "\n", decisions[i], value);
	}
	if ((rc = drb_stats_ask(s, "/drb/ports")) < 0)
		return fail(argv[1], rc);
	for (uint32_t i = 0; i < drb_stats_count(s, "name"); i++) {
		if ((rc = drb_stats_number(s, "occupancy", i, &value)) < 0)
			return fail("occupancy", rc);
		printf("%-14s %12" PRIu64 " queued\n", drb_stats_text(s, "name", i), value);
	}
	drb_stats_close(s);
	return 0;
}
