// SPDX-License-Identifier: BSD-3-Clause
#include "core/traffic/traffic.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const usages[DRB_PATTERN_COUNT] = {
	[DRB_PATTERN_PERMUTATION] = "permutation",
	[DRB_PATTERN_FIXED] = "fixed",
	[DRB_PATTERN_RANDOM] = "random",
	[DRB_PATTERN_MIXED] = "mixed",
	[DRB_PATTERN_STRIDE] = "stride:K",
	[DRB_PATTERN_TORNADO] = "tornado",
	[DRB_PATTERN_ALL_TO_ALL] = "all-to-all",
	[DRB_PATTERN_TRANSPOSE] = "transpose",
	[DRB_PATTERN_REVERSAL] = "reversal",
	[DRB_PATTERN_HOTSPOT] = "hotspot:K",
	[DRB_PATTERN_INCAST] = "incast:K",
	[DRB_PATTERN_RACKS] = "racks:F",
	[DRB_PATTERN_TURNS] = "turns:C",
	[DRB_PATTERN_EPOCH] = "epoch:S",
	[DRB_PATTERN_JOBS] = "jobs:K",
	[DRB_PATTERN_FILE] = "file:PATH",
};

const char *drb_traffic_usage(enum drb_pattern pattern)
{
	return (unsigned)pattern < DRB_PATTERN_COUNT ? usages[pattern] : NULL;
}

// Length of the name in front of the colon.
static size_t name_length(const char *usage)
{
	return strcspn(usage, ":");
}

// What stands behind the colon.
static int parse_argument(const char *text, struct drb_traffic_kind *kind)
{
	char *end;

	if (kind->pattern == DRB_PATTERN_FILE) {
		if (*text == '\0' || strlen(text) >= sizeof(kind->path))
			return -EINVAL;
		strcpy(kind->path, text);
		return 0;
	}
	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	if (kind->pattern == DRB_PATTERN_RACKS) {
		kind->share = strtod(text, &end);
		return *end || !(kind->share > 0 && kind->share <= 1) ? -EINVAL : 0;
	}
	unsigned long long k = strtoull(text, &end, 10);
	if (*end || k == 0 || k > DRB_HOSTS_MAX)
		return -EINVAL;
	kind->k = (uint32_t)k;
	return 0;
}

int drb_traffic_parse(const char *text, struct drb_traffic_kind *kind)
{
	size_t len = strcspn(text, ":");

	for (int i = 0; i < DRB_PATTERN_COUNT; i++) {
		if (len != name_length(usages[i]) || strncmp(text, usages[i], len) != 0)
			continue;
		if ((text[len] == ':') != (usages[i][len] == ':'))
			return -EINVAL;
		*kind = (struct drb_traffic_kind){.pattern = (enum drb_pattern)i};
		return text[len] == '\0' ? 0 : parse_argument(text + len + 1, kind);
	}
	return -EINVAL;
}

void drb_traffic_format(struct drb_traffic_kind kind, char text[DRB_TRAFFIC_NAME_MAX])
{
	const char *usage = usages[kind.pattern];
	size_t len = name_length(usage);

	if (kind.pattern == DRB_PATTERN_FILE)
		snprintf(text, DRB_TRAFFIC_NAME_MAX, "file:%s", kind.path);
	else if (kind.pattern == DRB_PATTERN_RACKS)
		snprintf(text, DRB_TRAFFIC_NAME_MAX, "racks:%.15g", kind.share);
	else if (usage[len] == ':')
		snprintf(text, DRB_TRAFFIC_NAME_MAX, "%.*s:%u", (int)len, usage, kind.k);
	else
		snprintf(text, DRB_TRAFFIC_NAME_MAX, "%s", usage);
}

int drb_traffic_fits(struct drb_traffic_kind kind, uint32_t hosts)
{
	switch (kind.pattern) {
	case DRB_PATTERN_TURNS:
	case DRB_PATTERN_EPOCH:
		return 0;
	case DRB_PATTERN_JOBS: // of two hosts at least
		return kind.k > hosts / 2 ? -ERANGE : 0;
	case DRB_PATTERN_FILE:
		return kind.file && kind.file->hosts > hosts ? -ERANGE : 0;
	default:
		return kind.k > (kind.pattern == DRB_PATTERN_HOTSPOT ? hosts : hosts - 1) ? -ERANGE
											  : 0;
	}
}
