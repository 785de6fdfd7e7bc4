// SPDX-License-Identifier: BSD-3-Clause
#include "core/traffic/traffic.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The argument behind the colon of a pattern.
enum argument {
	NOTHING,
	COUNT,      // k, from 1 on
	SHARE,      // above 0, at most 1
	PART,       // above 0, below 1
	TWO_SHARES, // share and answers, from 0 to 1
	PATH,
};

static const struct pattern {
	const char *usage;
	enum argument argument;
} patterns[DRB_PATTERN_COUNT] = {
	[DRB_PATTERN_PERMUTATION] = {"permutation", NOTHING},
	[DRB_PATTERN_FIXED] = {"fixed", NOTHING},
	[DRB_PATTERN_RANDOM] = {"random", NOTHING},
	[DRB_PATTERN_MIXED] = {"mixed", NOTHING},
	[DRB_PATTERN_STRIDE] = {"stride:K", COUNT},
	[DRB_PATTERN_TORNADO] = {"tornado", NOTHING},
	[DRB_PATTERN_ALL_TO_ALL] = {"all-to-all", NOTHING},
	[DRB_PATTERN_TRANSPOSE] = {"transpose", NOTHING},
	[DRB_PATTERN_REVERSAL] = {"reversal", NOTHING},
	[DRB_PATTERN_HOTSPOT] = {"hotspot:K", COUNT},
	[DRB_PATTERN_INCAST] = {"incast:K", COUNT},
	[DRB_PATTERN_RACKS] = {"racks:F", SHARE},
	[DRB_PATTERN_TURNS] = {"turns:C", COUNT},
	[DRB_PATTERN_EPOCH] = {"epoch:S", COUNT},
	[DRB_PATTERN_TRAINS] = {"trains:S", COUNT},
	[DRB_PATTERN_JOBS] = {"jobs:K", COUNT},
	[DRB_PATTERN_ONEWAY] = {"oneway:F:A", TWO_SHARES},
	[DRB_PATTERN_SINK] = {"sink:F", SHARE},
	[DRB_PATTERN_SILENT] = {"silent:F", PART},
	[DRB_PATTERN_IDLE] = {"idle:F", PART},
	[DRB_PATTERN_UNEQUAL] = {"unequal:F", PART},
	[DRB_PATTERN_FILE] = {"file:PATH", PATH},
};

const char *drb_traffic_usage(enum drb_pattern pattern)
{
	return (unsigned)pattern < DRB_PATTERN_COUNT ? patterns[pattern].usage : NULL;
}

// Length of the name before the colon.
static size_t name_length(const char *usage)
{
	return strcspn(usage, ":");
}

static int parse_path(const char *text, struct drb_traffic_kind *kind)
{
	if (*text == '\0' || strlen(text) >= sizeof(kind->path))
		return -EINVAL;
	strcpy(kind->path, text);
	return 0;
}

static int parse_count(const char *text, uint32_t *k)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	unsigned long long value = strtoull(text, &end, 10);
	if (*end || value == 0 || value > DRB_HOSTS_MAX)
		return -EINVAL;
	*k = (uint32_t)value;
	return 0;
}

// Reads a number from 0 to 1 that ends before the character `last`.
static int parse_share(const char *text, char last, double *share, const char **rest)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	*share = strtod(text, &end);
	*rest = end + 1;
	return *end == last && *share <= 1 ? 0 : -EINVAL;
}

static int parse_argument(const char *text, enum argument argument, struct drb_traffic_kind *kind)
{
	const char *rest = text;
	int rc = 0;

	switch (argument) {
	case NOTHING:
		return -EINVAL;
	case PATH:
		return parse_path(text, kind);
	case COUNT:
		return parse_count(text, &kind->k);
	case TWO_SHARES:
		rc = parse_share(text, ':', &kind->share, &rest);
		return rc == 0 ? parse_share(rest, '\0', &kind->answers, &rest) : rc;
	case SHARE:
	case PART:
		rc = parse_share(text, '\0', &kind->share, &rest);
		return kind->share > 0 && (argument == SHARE || kind->share < 1) ? rc : -EINVAL;
	}
	return -EINVAL;
}

int drb_traffic_parse(const char *text, struct drb_traffic_kind *kind)
{
	size_t len = strcspn(text, ":");

	for (int i = 0; i < DRB_PATTERN_COUNT; i++) {
		const char *usage = patterns[i].usage;
		if (len != name_length(usage) || strncmp(text, usage, len) != 0)
			continue;
		*kind = (struct drb_traffic_kind){.pattern = (enum drb_pattern)i};
		if (text[len] == '\0')
			return patterns[i].argument == NOTHING ? 0 : -EINVAL;
		return parse_argument(text + len + 1, patterns[i].argument, kind);
	}
	return -EINVAL;
}

void drb_traffic_format(struct drb_traffic_kind kind, char text[DRB_TRAFFIC_NAME_MAX])
{
	const struct pattern *p = &patterns[kind.pattern];
	int n = snprintf(text, DRB_TRAFFIC_NAME_MAX, "%.*s", (int)name_length(p->usage), p->usage);
	size_t left = DRB_TRAFFIC_NAME_MAX - (size_t)n;

	switch (p->argument) {
	case NOTHING:
		break;
	case COUNT:
		snprintf(text + n, left, ":%u", kind.k);
		break;
	case SHARE:
	case PART:
		snprintf(text + n, left, ":%.15g", kind.share);
		break;
	case TWO_SHARES:
		snprintf(text + n, left, ":%.15g:%.15g", kind.share, kind.answers);
		break;
	case PATH:
		snprintf(text + n, left, ":%s", kind.path);
		break;
	}
}

int drb_traffic_fits(struct drb_traffic_kind kind, uint32_t hosts)
{
	switch (kind.pattern) {
	case DRB_PATTERN_TURNS:
	case DRB_PATTERN_EPOCH:
	case DRB_PATTERN_TRAINS:
		return 0;
	case DRB_PATTERN_JOBS: // each has at least two hosts
		return kind.k > hosts / 2 ? -ERANGE : 0;
	case DRB_PATTERN_FILE:
		return kind.file && kind.file->hosts > hosts ? -ERANGE : 0;
	default:
		return kind.k > (kind.pattern == DRB_PATTERN_HOTSPOT ? hosts : hosts - 1) ? -ERANGE
											  : 0;
	}
}
