// SPDX-License-Identifier: BSD-3-Clause
#include "common/traffic/traffic_option.h"

#include <stdio.h>
#include <string.h>

#include "common/cli/log.h"

#define PATTERNS_TEXT 400 // all usages, with separators

// Refuses the argument of a pattern whose name is right.
static void check_name(const char *text, const char *usage)
{
	const size_t length = strcspn(usage, ":");

	if (strcspn(text, ":") == length && strncmp(text, usage, length) == 0)
		drb_die("--traffic %s: must be %s%s", text, usage,
			!usage[length]                ? ""
			: strchr(usage + length, 'F') ? ", of shares between 0 and 1"
			: strlen(usage + length) == 2 ? ", of a whole number from 1"
						      : "");
}

void drb_traffic_option(const char *text, struct drb_traffic_kind *kind)
{
	char patterns[PATTERNS_TEXT] = "";
	size_t used = 0;

	if (drb_traffic_parse(text, kind) == 0)
		return;
	for (int p = 0; p < DRB_PATTERN_COUNT; p++)
		check_name(text, drb_traffic_usage((enum drb_pattern)p));
	for (int p = 0; p < DRB_PATTERN_COUNT && used < sizeof(patterns); p++)
		used += (size_t)snprintf(patterns + used, sizeof(patterns) - used, "%s%s",
					 p == 0                       ? ""
					 : p == DRB_PATTERN_COUNT - 1 ? " or "
								      : ", ",
					 drb_traffic_usage((enum drb_pattern)p));
	drb_die("--traffic %s: no such traffic: must be %s", text, patterns);
}
