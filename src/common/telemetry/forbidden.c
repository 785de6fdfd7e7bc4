// SPDX-License-Identifier: BSD-3-Clause
#include "common/telemetry/forbidden.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/telemetry/telemetry_client.h"

#define ROOT_RUNTIME "/var/run"

static bool may_not_enter(const char *path)
{
	return access(path, R_OK | X_OK) < 0 && errno == EACCES;
}

static bool is_of_switch(const char *name, const char *instance)
{
	char fabric[DRB_FABRIC_MAX + 1];
	uint32_t layer, label;

	if (instance)
		return strcmp(name, instance) == 0;
	return drb_instance_parse(name, fabric, &layer, &label) == 0 && layer > 0;
}

static bool look_in(const char *runtime, const char *instance, char path[DRB_FORBIDDEN_MAX])
{
	const struct dirent *entry;
	char folder[DRB_FORBIDDEN_MAX - 256]; // a name is shorter than the rest
	bool found = false;

	if ((size_t)snprintf(folder, sizeof(folder), "%s/dpdk", runtime) >= sizeof(folder))
		return false;
	if (may_not_enter(folder)) {
		snprintf(path, DRB_FORBIDDEN_MAX, "%s", folder);
		return true;
	}
	DIR *dir = opendir(folder);
	while (dir && !found && (entry = readdir(dir))) {
		snprintf(path, DRB_FORBIDDEN_MAX, "%s/%s", folder, entry->d_name);
		found = is_of_switch(entry->d_name, instance) && may_not_enter(path);
	}
	if (dir)
		closedir(dir);
	return found;
}

bool drb_telemetry_forbidden(const char *runtime, const char *instance,
			     char path[DRB_FORBIDDEN_MAX])
{
	if (runtime)
		return look_in(runtime, instance, path);
	return look_in(drb_telemetry_runtime(), instance, path) ||
	       look_in(ROOT_RUNTIME, instance, path);
}
