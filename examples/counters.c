// SPDX-License-Identifier: BSD-3-Clause
// Prints the decisions of a running switch, and the number of packets queued at its ports:
//   counters INSTANCE          such as: counters drb-s1-0
#include <drb/stats.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const decisions[] = {"up_default", "up_redirected", "up_walked", "down"};

static int fail(const char *what, int error)
{
	fprintf(stderr, "counters: %s: %s\n", what, strerror(-error));
	return 1;
}

// A switch of another version may lack a counter, which is not an error.
static int print_count(const struct drb_stats *s, const char *name, const char *key, uint32_t i)
{
	uint64_t value;
	int rc = drb_stats_number(s, key, i, &value);

	if (rc == -ENOENT)
		printf("%-14s %12s %s\n", name, "unknown", key);
	else if (rc == 0)
		printf("%-14s %12" PRIu64 " %s\n", name, value, key);
	return rc == -ENOENT ? 0 : rc;
}

int main(int argc, char **argv)
{
	struct drb_stats *s = argc == 2 ? drb_stats_open(argv[1], 2000) : NULL;
	const char *name;
	int rc;

	if (argc != 2)
		return fprintf(stderr, "counters INSTANCE\n"), 2;
	if (!s)
		return perror(argv[1]), 1;
	if ((rc = drb_stats_ask(s, "/drb/routing")) < 0)
		return fail(argv[1], rc);
	name = drb_stats_text(s, "scheme", 0);
	printf("%-14s %12s\n", "scheme", name ? name : "unknown");
	for (unsigned i = 0; i < sizeof(decisions) / sizeof(decisions[0]); i++) {
		if ((rc = print_count(s, "decisions", decisions[i], 0)) < 0)
			return fail(decisions[i], rc);
	}
	if ((rc = drb_stats_ask(s, "/drb/ports")) < 0)
		return fail(argv[1], rc);
	for (uint32_t i = 0; (name = drb_stats_text(s, "name", i)); i++) {
		if ((rc = print_count(s, name, "queue_packets", i)) < 0)
			return fail(name, rc);
	}
	drb_stats_close(s);
	return 0;
}
