// SPDX-License-Identifier: BSD-3-Clause
#include "common/traffic/traffic_option.h"

#include <stdio.h>

#include "common/cli/log.h"

#define PATTERNS_TEXT 400 // all usages, with separators

void drb_traffic_option(const char *text, struct drb_traffic_kind *kind)
{
	char patterns[PATTERNS_TEXT] = "";
	size_t used = 0;

	if (drb_traffic_parse(text, kind) == 0)
		return;
	for (int p = 0; p < DRB_PATTERN_COUNT && used < sizeof(patterns); p++)
		used += (size_t)snprintf(patterns + used, sizeof(patterns) - used, "%s%s",
					 p == 0                       ? ""
					 : p == DRB_PATTERN_COUNT - 1 ? " or "
								      : ", ",
					 drb_traffic_usage((enum drb_pattern)p));
	drb_die("--traffic %s: no such traffic: must be %s", text, patterns);
}
