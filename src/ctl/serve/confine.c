// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/serve/confine.h"

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <seccomp.h>

#include "common/cli/log.h"
#include "common/confine/landlock.h"

#define CALL(name) #name,
static const char *const calls[] = {
#include "ctl/serve/confine_calls.def"
};
#undef CALL

// Allows new threads, but no processes. A filter cannot read the arguments of clone3(), which are
// in memory. clone3() therefore fails with ENOSYS, and libc uses clone() instead.
static int allow_threads(scmp_filter_ctx filter)
{
	int rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
				  SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD));

	if (rc == 0)
		rc = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
	if (rc == 0)
		rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(prctl), 1,
				      SCMP_A0(SCMP_CMP_EQ, PR_SET_NAME, 0));
	return rc;
}

static int confine_calls(void)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	int rc = filter ? allow_threads(filter) : -ENOMEM;

	// Unix sockets only, for the stats sockets.
	if (rc == 0)
		rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(socket), 1,
				      SCMP_A0(SCMP_CMP_EQ, AF_UNIX, 0));
	for (size_t i = 0; rc == 0 && i < sizeof(calls) / sizeof(calls[0]); i++) {
		int call = seccomp_syscall_resolve_name(calls[i]);
		rc = call == __NR_SCMP_ERROR ? 0
					     : seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0);
		rc = rc == -EDOM ? 0 : rc; // this architecture does not have the call
	}
	if (rc == 0)
		rc = seccomp_load(filter);
	seccomp_release(filter);
	return rc;
}

static int confine_files(const char *runtime)
{
	static const char *const always[] = {"/proc", "/usr", "/lib", "/lib64", "/etc/localtime"};
	int rc = drb_landlock_begin();

	if (rc < 0)
		return rc;
	// The whole runtime folder, because its dpdk/ may be created later.
	rc = drb_landlock_allow(runtime, DRB_LANDLOCK_READ);
	for (size_t i = 0; rc == 0 && i < sizeof(always) / sizeof(always[0]); i++)
		rc = drb_landlock_allow(always[i], DRB_LANDLOCK_READ);
	if (rc == 0)
		rc = drb_landlock_restrict_here();
	drb_landlock_end();
	return rc;
}

static int outcome(int rc, const char *what)
{
	if (rc == -ENOSYS || rc == -EOPNOTSUPP || rc == -EINVAL) {
		drb_warn("this kernel has no %s: serve may do what its user may", what);
		return 0;
	}
	if (rc < 0)
		drb_error("cannot confine this process by %s: %s", what, strerror(-rc));
	return rc;
}

int serve_confine(const char *runtime)
{
#ifdef DRB_SANITIZED
	(void)confine_files, (void)confine_calls, (void)outcome, (void)runtime;
	return 0;
#else
	int rc = outcome(confine_files(runtime), "Landlock");
	return rc == 0 ? outcome(confine_calls(), "seccomp filters") : rc;
#endif
}
