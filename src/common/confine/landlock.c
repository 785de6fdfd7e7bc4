// SPDX-License-Identifier: BSD-3-Clause
#include "common/confine/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// Constants of kernels later than this system's headers.
#define NET_BIND_TCP (1ULL << 0)
#define NET_CONNECT_TCP (1ULL << 1)
#define SCOPE_ABSTRACT_SOCKETS (1ULL << 0)
#define SCOPE_SIGNALS (1ULL << 1)
#define GET_ERRATA (1U << 1) // for landlock_create_ruleset()
// The first version of Landlock with each feature.
#define SINCE_REFER 2
#define SINCE_TRUNCATE 3
#define SINCE_NET 4
#define SINCE_SCOPES 6
// A kernel with this fix lets the threads of a process signal each other in any scope.
#define ERRATUM_SIGNALS (1 << 1)

#define OF_A_FILE                                                                                  \
	(LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_TRUNCATE)

// All file rights that exist. A right that no rule grants is refused.
#define EVERYTHING                                                                                 \
	(DRB_LANDLOCK_READ | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_TRUNCATE |         \
	 LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |                          \
	 LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |                               \
	 LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_EXECUTE |                               \
	 LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_FIFO |                             \
	 LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM | LANDLOCK_ACCESS_FS_REFER)

// The structure of version 6; an earlier kernel gets only its first fields.
struct attributes {
	uint64_t files, net, scopes;
};

static int rules = -1; // constant while other threads are restricted
static uint64_t known; // rights that this kernel supports

int drb_landlock_allow(const char *path, uint64_t rights)
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

static long ask_kernel(unsigned flag)
{
	return syscall(SYS_landlock_create_ruleset, NULL, 0, flag);
}

int drb_landlock_begin(void)
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
	rules = (int)fd;
	return fd < 0 ? -errno : 0;
}

int drb_landlock_restrict_here(void)
{
	return syscall(SYS_landlock_restrict_self, rules, 0) < 0 ? -errno : 0;
}

void drb_landlock_end(void)
{
	close(rules);
	rules = -1;
}
