// SPDX-License-Identifier: BSD-3-Clause
#include "common/traffic/host_set.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/quantity.h"

#define LABEL_MAX 12 // characters of a label

// Parses one label, or two with a dash between them, in the first len characters.
static int parse_range(const char *text, size_t len, uint32_t hosts, uint32_t ends[2])
{
	char label[2 * LABEL_MAX];

	if (len >= sizeof(label))
		return -EINVAL;
	snprintf(label, sizeof(label), "%.*s", (int)len, text);
	char *dash = strchr(label, '-');
	if (dash)
		*dash = '\0';
	if (drb_parse_u32(label, 0, hosts - 1, &ends[0]) < 0)
		return -EINVAL;
	ends[1] = ends[0];
	return dash ? drb_parse_u32(dash + 1, ends[0], hosts - 1, &ends[1]) : 0;
}

static int add_range(struct drb_host_set *set, const uint32_t ends[2])
{
	uint32_t count = ends[1] - ends[0] + 1;
	uint32_t *host = realloc(set->host, ((size_t)set->count + count) * sizeof(*host));

	if (!host)
		return -ENOMEM;
	set->host = host;
	for (uint32_t i = 0; i < count; i++)
		host[set->count + i] = ends[0] + i;
	set->count += count;
	return 0;
}

static int by_label(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void keep_once(struct drb_host_set *set)
{
	uint32_t kept = 0;

	qsort(set->host, set->count, sizeof(*set->host), by_label);
	for (uint32_t i = 0; i < set->count; i++) {
		if (i == 0 || set->host[i] != set->host[i - 1])
			set->host[kept++] = set->host[i];
	}
	set->count = kept;
}

int drb_host_set_parse(const char *text, uint32_t hosts, struct drb_host_set *set)
{
	int rc = 0;

	*set = (struct drb_host_set){0};
	for (const char *p = text; rc == 0;) {
		size_t len = strcspn(p, "+");
		uint32_t ends[2];
		rc = parse_range(p, len, hosts, ends);
		if (rc == 0)
			rc = add_range(set, ends);
		if (rc == 0)
			keep_once(set);
		if (p[len] == '\0')
			break;
		p += len + 1;
	}
	if (rc < 0)
		drb_host_set_free(set);
	return rc;
}

void drb_host_set_free(struct drb_host_set *set)
{
	free(set->host);
	*set = (struct drb_host_set){0};
}
