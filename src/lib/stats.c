// SPDX-License-Identifier: BSD-3-Clause
// Counters for programs that link libdrb.
#include "drb/stats.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/telemetry/telemetry_client.h"

struct drb_stats {
	struct drb_telemetry socket;
	json_t *reply; // NULL: no reply yet
};

struct drb_stats *drb_stats_open(const char *instance, uint32_t timeout_ms)
{
	struct drb_stats *s = calloc(1, sizeof(*s));
	char path[PATH_MAX];
	int rc;

	if (!s)
		return NULL;
	snprintf(path, sizeof(path), "%s/dpdk/%s/" DRB_TELEMETRY_SOCKET, drb_telemetry_runtime(),
		 instance);
	rc = drb_telemetry_open(&s->socket, strchr(instance, '/') ? instance : path, timeout_ms);
	if (rc < 0) {
		free(s);
		errno = -rc;
		return NULL;
	}
	return s;
}

const char *drb_stats_version(const struct drb_stats *s)
{
	return s->socket.version;
}

void drb_stats_close(struct drb_stats *s)
{
	if (!s)
		return;
	json_decref(s->reply);
	drb_telemetry_close(&s->socket);
	free(s);
}

int drb_stats_ask(struct drb_stats *s, const char *command)
{
	json_decref(s->reply);
	s->reply = NULL;
	return s->socket.fd < 0 ? -ECONNRESET
				: drb_telemetry_ask(&s->socket, command, NULL, &s->reply);
}

uint32_t drb_stats_count(const struct drb_stats *s, const char *key)
{
	const json_t *value = json_object_get(s->reply, key);

	return json_is_array(value) ? (uint32_t)json_array_size(value) : value != NULL;
}

static const json_t *value_of(const struct drb_stats *s, const char *key, uint32_t i)
{
	const json_t *value = json_object_get(s->reply, key);

	if (json_is_array(value))
		return json_array_get(value, i);
	return i == 0 ? value : NULL;
}

int drb_stats_number(const struct drb_stats *s, const char *key, uint32_t i, uint64_t *value)
{
	const json_t *number = value_of(s, key, i);

	if (!number)
		return -ENOENT;
	if (!json_is_integer(number) || json_integer_value(number) < 0)
		return -EINVAL;
	*value = (uint64_t)json_integer_value(number);
	return 0;
}

const char *drb_stats_text(const struct drb_stats *s, const char *key, uint32_t i)
{
	return json_string_value(value_of(s, key, i));
}
