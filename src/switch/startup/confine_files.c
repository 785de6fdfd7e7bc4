// SPDX-License-Identifier: BSD-3-Clause
#include "switch/startup/confine.h"

#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/confine/landlock.h"
#include "common/telemetry/telemetry_client.h"
#include "switch/ports/memif/door.h"
#include "switch/startup/log_file.h"
#include "switch/startup/other_threads.h"

#define READ DRB_LANDLOCK_READ
#define CHANGE                                                                                     \
	(READ | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_TRUNCATE |                      \
	 LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |                          \
	 LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK)

// Files that every switch needs: its own threads and their states, drivers' devices, libraries that
// libc loads late, and the local time. Other files in /etc are not allowed.
static const struct {
	const char *path;
	uint64_t rights;
} always[] = {
	{"/proc", READ},
	{"/sys", READ},
	{"/usr", READ},
	{"/lib", READ},
	{"/lib64", READ},
	{"/etc/ld.so.cache", READ},
	{"/etc/localtime", READ},
	{"/dev/null", READ | LANDLOCK_ACCESS_FS_WRITE_FILE},
	{"/dev/urandom", READ},
	{"/dev/hugepages", CHANGE},
	{"/dev/vfio", READ | LANDLOCK_ACCESS_FS_WRITE_FILE},
};

// The switch makes and removes sockets for stats and captures. The sockets of memif links exist
// already. The broker removes these, because their folder may hold sockets of other switches.
static int allow_sockets(const struct drb_setup *setup)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/dpdk/%s", drb_telemetry_runtime(), setup->instance);
	return drb_landlock_allow(path, CHANGE);
}

int drb_confine_files(const struct drb_setup *setup)
{
	int rc = drb_landlock_begin();

	if (rc < 0)
		return rc;
	for (size_t i = 0; rc == 0 && i < sizeof(always) / sizeof(always[0]); i++)
		rc = drb_landlock_allow(always[i].path, always[i].rights);
	if (rc == 0)
		rc = allow_sockets(setup);
	if (rc == 0)
		rc = drb_in_other_threads(drb_landlock_restrict_here);
	if (rc == 0)
		rc = drb_landlock_restrict_here();
	drb_landlock_end();
	return rc;
}

// Allows the broker to remove memif sockets from their folders. Makes a folder if it is missing in
// an existing parent.
static int allow_memif_removals(const struct drb_setup *setup)
{
	char path[sizeof(setup->ports[0].socket)];
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < setup->down_ports + setup->up_ports; i++) {
		if (!drb_memif_is_server(&setup->ports[i]))
			continue;
		memcpy(path, setup->ports[i].socket, sizeof(path));
		const char *folder = dirname(path);
		(void)mkdir(folder, 0700); // if it fails, the port's check reports it
		rc = drb_landlock_allow(folder, LANDLOCK_ACCESS_FS_REMOVE_FILE);
	}
	return rc;
}

// Allows the broker to make a log of the old name after that was renamed.
static int allow_log(void)
{
	const char *log = drb_log_file_name();
	char path[PATH_MAX];

	if (!log)
		return 0;
	snprintf(path, sizeof(path), "%s", log);
	return drb_landlock_allow(dirname(path),
				  LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_WRITE_FILE);
}

// Allows reading the config's whole folder, because an editor may replace the file by another.
int drb_confine_broker_files(const char *config, const char *stats_folder,
			     const struct drb_setup *setup)
{
	char real[PATH_MAX], folders[PATH_MAX];
	int rc = drb_landlock_begin();

	if (rc < 0)
		return rc;
	if (config && realpath(config, real))
		rc = drb_landlock_allow(dirname(real), READ);
	snprintf(folders, sizeof(folders), "%s", stats_folder);
	if (rc == 0)
		rc = drb_landlock_allow(dirname(folders), LANDLOCK_ACCESS_FS_REMOVE_DIR);
	if (rc == 0)
		rc = allow_memif_removals(setup);
	if (rc == 0)
		rc = allow_log();
	if (rc == 0)
		rc = drb_landlock_restrict_here();
	drb_landlock_end();
	return rc;
}
