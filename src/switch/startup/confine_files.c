// SPDX-License-Identifier: BSD-3-Clause
#include "switch/startup/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/landlock.h>

#include "common/telemetry/telemetry_client.h"
#include "switch/startup/other_threads.h"

// Of kernels later than the headers of this system.
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif
#define NET_BIND_TCP (1ULL << 0)
#define NET_CONNECT_TCP (1ULL << 1)
#define SCOPE_ABSTRACT_SOCKETS (1ULL << 0)
#define SCOPE_SIGNALS (1ULL << 1)
#define GET_ERRATA (1U << 1) // of landlock_create_ruleset()
// Versions of Landlock that first know something.
#define SINCE_REFER 2
#define SINCE_TRUNCATE 3
#define SINCE_NET 4
#define SINCE_SCOPES 6
// A kernel with it lets threads of a process signal each other, whatever the scope.
#define ERRATUM_SIGNALS (1 << 1)

#define READ (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define CHANGE                                                                                     \
	(READ | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_TRUNCATE |                      \
	 LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |                          \
	 LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK)
#define OF_A_FILE                                                                                  \
	(LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_TRUNCATE)

// All that rights exist for; what no rule allows is refused.
#define EVERYTHING                                                                                 \
	(CHANGE | LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_MAKE_CHAR |                      \
	 LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |                            \
	 LANDLOCK_ACCESS_FS_MAKE_SYM | LANDLOCK_ACCESS_FS_REFER)

// As of version 6; an earlier kernel is given the first fields.
struct attributes {
	uint64_t files, net, scopes;
};

// What every switch needs: its own threads and their states, drivers' devices, libraries that libc loads
// late, the local time; not what is in /etc.
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

static int rules = -1; // constant while other threads are bound
static uint64_t known; // rights that this kernel knows

// Nothing for a path that is not there: it is refused.
static int allow(const char *path, uint64_t rights)
{
	struct landlock_path_beneath_attr rule = {.parent_fd = open(path, O_PATH | O_CLOEXEC)};
	struct stat st;
	int rc = 0;

	if (rule.parent_fd < 0)
		return 0;
	bool is_dir = fstat(rule.parent_fd, &st) == 0 && S_ISDIR(st.st_mode);
	rule.allowed_access = rights & known & (is_dir ? EVERYTHING : OF_A_FILE);
	if (syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) < 0)
		rc = -errno;
	close(rule.parent_fd);
	return rc;
}

// Sockets are made and removed: of stats and captures, of memif servers.
static int allow_sockets(const struct drb_setup *setup)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/dpdk/%s", drb_telemetry_runtime(), setup->instance);
	int rc = allow(path, CHANGE);
	for (uint32_t i = 0; rc == 0 && i < setup->down_ports + setup->up_ports; i++) {
		const struct drb_port_setup *p = &setup->ports[i];
		if (p->driver != DRB_DRIVER_MEMIF || !p->up)
			continue;
		snprintf(path, sizeof(path), "%s", p->socket);
		rc = allow(dirname(path), CHANGE);
	}
	return rc;
}

static int restrict_here(void)
{
	return syscall(SYS_landlock_restrict_self, rules, 0) < 0 ? -errno : 0;
}

static long ask_kernel(unsigned flag)
{
	return syscall(SYS_landlock_create_ruleset, NULL, 0, flag);
}

// A set of rules that refuses everything, or -errno. Signals and abstract sockets lead to nobody outside.
static int make_rules(void)
{
	struct attributes all = {.files = EVERYTHING,
				 .net = NET_BIND_TCP | NET_CONNECT_TCP,
				 .scopes = SCOPE_ABSTRACT_SOCKETS};
	const long version = ask_kernel(LANDLOCK_CREATE_RULESET_VERSION);

	if (version < 0)
		return -errno;
	if (version < SINCE_REFER)
		all.files &= ~LANDLOCK_ACCESS_FS_REFER;
	if (version < SINCE_TRUNCATE)
		all.files &= ~LANDLOCK_ACCESS_FS_TRUNCATE;
	known = all.files;
	const long errata = version < SINCE_SCOPES ? 0 : ask_kernel(GET_ERRATA);
	if (errata > 0 && (errata & ERRATUM_SIGNALS))
		all.scopes |= SCOPE_SIGNALS;
	const size_t size = version < SINCE_NET      ? offsetof(struct attributes, net)
			    : version < SINCE_SCOPES ? offsetof(struct attributes, scopes)
						     : sizeof(all);
	long fd = syscall(SYS_landlock_create_ruleset, &all, size, 0);
	return fd < 0 ? -errno : (int)fd;
}

int drb_confine_files(const struct drb_setup *setup)
{
	int rc = 0;

	rules = make_rules();
	if (rules < 0)
		return rules;
	for (size_t i = 0; rc == 0 && i < sizeof(always) / sizeof(always[0]); i++)
		rc = allow(always[i].path, always[i].rights);
	if (rc == 0)
		rc = allow_sockets(setup);
	if (rc == 0)
		rc = drb_in_other_threads(restrict_here);
	if (rc == 0)
		rc = restrict_here();
	close(rules);
	return rc;
}

// The config is read; who edits it may put another file in its place.
int drb_confine_broker_files(const char *config, const char *stats_folder)
{
	char real[PATH_MAX], folders[PATH_MAX];
	int rc = 0;

	rules = make_rules();
	if (rules < 0)
		return rules;
	if (config && realpath(config, real))
		rc = allow(dirname(real), READ);
	snprintf(folders, sizeof(folders), "%s", stats_folder);
	if (rc == 0)
		rc = allow(dirname(folders), LANDLOCK_ACCESS_FS_REMOVE_DIR);
	if (rc == 0)
		rc = restrict_here();
	close(rules);
	return rc;
}
